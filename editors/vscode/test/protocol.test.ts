// The real server, asked with the client library of VS Code: opened, told, mended, ended. GRAPHMEND names the executable.

import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  CodeActionRequest,
  CodeLensRequest,
  createProtocolConnection,
  DiagnosticSeverity,
  DidChangeConfigurationNotification,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentDiagnosticRequest,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  InlayHintRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type CodeAction,
  type Diagnostic,
  type MarkupContent,
  type ProtocolConnection,
  type TextEdit,
} from "vscode-languageserver-protocol/node";
import { DEFAULTS, FIX_ALL, FIX_UNSAFE, SERVER_ARGUMENTS } from "../src/options";

const EXECUTABLE = process.env["GRAPHMEND"] ?? "graphmend";
const PROVED = `import torch


@torch.compile
def f(x: torch.Tensor):
    s = x.float().sum()
    if s > 0:
        y = s + 1.0
    else:
        y = s - 1.0
    return y
`;
const ASSUMED = PROVED.replace(".float()", "");
const WHOLE = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } };

let folder: string;
let server: ChildProcess;
let connection: ProtocolConnection;

/** The text of a file after the edits of an action for it; edits do not overlap. */
function apply(text: string, action: CodeAction): string {
  const changes = action.edit?.documentChanges ?? [];
  const edits = changes.flatMap((change) => ("edits" in change ? change.edits : [])) as TextEdit[];
  const lines = text.split("\n");
  const offset = (line: number, character: number): number => lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, character);
  for (const { range, newText } of edits.reverse()) {
    const [start, end] = [offset(range.start.line, range.start.character), offset(range.end.line, range.end.character)];
    text = text.slice(0, start) + newText + text.slice(end);
  }
  return text;
}

function fix(text: string, ...options: string[]): string {
  return spawnSync(EXECUTABLE, ["fix", "--isolated", ...options, "-"], { input: text, encoding: "utf8" }).stdout;
}

function open(name: string, text: string): { uri: string } {
  const uri = pathToFileURL(path.join(folder, name)).href;
  void connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "python", version: 1, text } });
  return { uri };
}

async function diagnostics(textDocument: { uri: string }): Promise<Diagnostic[]> {
  const report = await connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument });
  assert.ok(report.kind === "full");
  return report.items;
}

async function actions(textDocument: { uri: string }, only: string): Promise<CodeAction[]> {
  const asked = { textDocument, range: WHOLE, context: { diagnostics: [], only: [only] } };
  return ((await connection.sendRequest(CodeActionRequest.type, asked)) ?? []) as CodeAction[];
}

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "graphmend-vscode-"));
  server = spawn(EXECUTABLE, SERVER_ARGUMENTS, { cwd: folder });
  assert.ok(server.stdout && server.stdin);
  connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  connection.listen();
  const answer = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the type asks for it
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "a" }],
    initializationOptions: DEFAULTS,
    capabilities: {
      textDocument: {
        codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } },
        diagnostic: {},
        hover: { contentFormat: ["markdown"] },
      },
      workspace: { workspaceEdit: { documentChanges: true } },
    },
  });
  assert.equal(answer.serverInfo?.name, "graphmend");
  assert.deepEqual(answer.capabilities.codeActionProvider, { codeActionKinds: ["quickfix", FIX_ALL, FIX_UNSAFE] });
  await connection.sendNotification(InitializedNotification.type, {});
});

after(() => {
  server.kill();
  connection.dispose();
  rmSync(folder, { recursive: true });
});

test("a finding, its mend, and the text without it", async () => {
  const document = open("a.py", PROVED);
  const [found, ...more] = await diagnostics(document);
  assert.equal(found?.code, "GM101");
  assert.deepEqual([found.range.start, found.severity, more.length], [{ line: 6, character: 7 }, DiagnosticSeverity.Warning, 0]);
  const [action] = await actions(document, "quickfix");
  assert.ok(action);
  const mended = apply(PROVED, action);
  assert.equal(mended, fix(PROVED));
  await connection.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { ...document, version: 2 },
    contentChanges: [{ text: mended }],
  });
  assert.deepEqual(await diagnostics(document), []);
});

test("the mends of the two commands for a file", async () => {
  const proved = open("b.py", PROVED);
  const [all] = await actions(proved, FIX_ALL);
  assert.ok(all);
  assert.equal(apply(PROVED, all), fix(PROVED));
  assert.deepEqual(await actions(proved, FIX_UNSAFE), []);
  const assumed = open("c.py", ASSUMED);
  assert.deepEqual(await actions(assumed, FIX_ALL), []);
  const [unsafe] = await actions(assumed, FIX_UNSAFE);
  assert.ok(unsafe);
  assert.match(unsafe.title, /writes, assuming that `s` is a floating point tensor$/);
  assert.equal(apply(ASSUMED, unsafe), fix(ASSUMED, "--unsafe"));
});

test("a hover has the page of the rule", async () => {
  const answer = await connection.sendRequest(HoverRequest.type, { textDocument: open("d.py", PROVED), position: { line: 6, character: 8 } });
  assert.match((answer?.contents as MarkupContent).value, /GM101/);
});

test("settings of the editor: lenses are shown, hints are not until they are wanted", async () => {
  const textDocument = open("e.py", PROVED);
  const hints = async (): Promise<number> => (await connection.sendRequest(InlayHintRequest.type, { textDocument, range: WHOLE }))?.length ?? 0;
  const lenses = async (): Promise<number> => (await connection.sendRequest(CodeLensRequest.type, { textDocument }))?.length ?? 0;
  assert.deepEqual([(await lenses()) > 0, await hints()], [true, 0]);
  await connection.sendNotification(DidChangeConfigurationNotification.type, { settings: { graphmend: { codeLens: false, inlayHints: true } } });
  assert.deepEqual([await lenses(), (await hints()) > 0], [0, true]);
});

test("the server ends when it is told to", async () => {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  await connection.sendRequest(ShutdownRequest.type);
  await connection.sendNotification(ExitNotification.type);
  assert.equal(await ended, 0);
});
