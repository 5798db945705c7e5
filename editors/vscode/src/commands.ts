// The commands: mends of a whole file, and pages of rules.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { FIX_ALL, FIX_UNSAFE } from "./options";
import type { Server } from "./server";

/** The text of the page of a rule: `graphmend-rule:GM101.md`. */
export const SCHEME = "graphmend-rule";

async function wholeAction(document: vscode.TextDocument, kind: string): Promise<vscode.CodeAction | undefined> {
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const offered = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", document.uri, whole, kind);
  return offered.find((action) => action.kind?.value === kind);
}

async function fix(kind: string, nothing: string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "python") {
    return;
  }
  const { version } = document;
  const action = await wholeAction(document, kind);
  if (action?.edit === undefined) {
    void vscode.window.showInformationMessage(`graphmend: ${nothing}`);
    return;
  }
  if (kind === FIX_UNSAFE) {
    const answer = await vscode.window.showWarningMessage("graphmend", { modal: true, detail: action.title }, "Write");
    if (answer !== "Write") {
      return;
    }
  }
  if (document.version !== version || !(await vscode.workspace.applyEdit(action.edit))) {
    void vscode.window.showWarningMessage("graphmend: the text has changed since, and nothing was written.");
  }
}

function codeOf(diagnostic: vscode.Diagnostic): string {
  const { code } = diagnostic;
  return String(typeof code === "object" ? code.value : (code ?? ""));
}

/** The codes of the findings: those at the cursor, otherwise those of the file. */
function codes(editor: vscode.TextEditor): string[] {
  const all = vscode.languages.getDiagnostics(editor.document.uri).filter((each) => each.source === "graphmend");
  const here = all.filter((each) => each.range.intersection(editor.selection) !== undefined);
  return [...new Set((here.length > 0 ? here : all).map(codeOf))].sort();
}

async function openPage(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const known = editor === undefined ? [] : codes(editor);
  const code =
    known.length === 1
      ? known[0]
      : known.length > 1
        ? await vscode.window.showQuickPick(known, { placeHolder: "the rule" })
        : await vscode.window.showInputBox({ prompt: "The code of a rule or of a graph break, such as GM101 or GB0170" });
  if (code !== undefined && /^[A-Z]{2}\d+$/.test(code)) {
    await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.from({ scheme: SCHEME, path: `${code}.md` }));
  }
}

/** The pages, which the executable prints. */
class Pages implements vscode.TextDocumentContentProvider {
  constructor(private readonly server: Server) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const code = uri.path.replace(/\.md$/, "");
    if (this.server.command === undefined || !/^[A-Z]{2}\d+$/.test(code)) {
      return "The server of graphmend is not running.";
    }
    const environment = { ...process.env, NO_COLOR: "1" };
    try {
      return (await promisify(execFile)(this.server.command, ["rule", code], { env: environment })).stdout;
    } catch (error) {
      return `\`graphmend rule ${code}\`: ${String(error)}`;
    }
  }
}

/** Registers all commands. */
export function registerCommands(server: Server): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register("graphmend.restart", () => server.restart()),
    register("graphmend.showOutput", () => {
      server.output.show();
    }),
    register("graphmend.fixFile", () => fix(FIX_ALL, "no finding of this file has a mend that is proved.")),
    register("graphmend.fixFileUnsafe", () => fix(FIX_UNSAFE, "no finding of this file has a mend that rests on an assumption.")),
    register("graphmend.openRulePage", openPage),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, new Pages(server)),
  ];
}
