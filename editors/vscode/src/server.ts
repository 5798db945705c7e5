// The life of the server: found, started, started anew when the settings or the interpreter change.

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { DidChangeConfigurationNotification, LanguageClient, TransportKind } from "vscode-languageclient/node";
import { findExecutable, type Found } from "./executable";
import { DEFAULTS, SELECTOR, SERVER_ARGUMENTS, type Choices } from "./options";
import { selectedInterpreter } from "./python";

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function choices(): Choices {
  const settings = vscode.workspace.getConfiguration("graphmend");
  return {
    codeLens: settings.get("codeLens", DEFAULTS.codeLens),
    inlayHints: settings.get("inlayHints", DEFAULTS.inlayHints),
  };
}

async function find(): Promise<Found> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
  return findExecutable({
    setting: vscode.workspace.getConfiguration("graphmend").get("path", ""),
    interpreter: await selectedInterpreter(folders[0]?.uri).catch(() => undefined), // an extension that fails is as good as none
    trusted: vscode.workspace.isTrusted,
    workspaceFolders: folders.map((folder) => folder.uri.fsPath),
    home: homedir(),
    searchPath: process.env["PATH"] ?? "",
    windows: process.platform === "win32",
    isExecutable,
  });
}

/** One server for the window, or none with a message that says why. */
export class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel("graphmend", { log: true });
  private client: LanguageClient | undefined;
  private last: Promise<void> = Promise.resolve();
  /** The executable that runs. */
  command: string | undefined;

  /** Starts the server, or starts it anew. Calls wait for each other. */
  restart(): Promise<void> {
    this.last = this.last
      .then(async () => {
        await this.stop();
        await this.start();
      })
      .catch((error: unknown) => {
        this.output.error(String(error)); // the next restart is not held up
      });
    return this.last;
  }

  /** The server starts anew if it would be another executable. */
  async restartIfMoved(): Promise<void> {
    const found = await find();
    if (("command" in found ? found.command : undefined) !== this.command) {
      await this.restart();
    }
  }

  /** Tells the server what has changed in the settings of the editor. */
  async sendChoices(): Promise<void> {
    await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings: { graphmend: choices() } });
  }

  private async start(): Promise<void> {
    const found = await find();
    if ("problem" in found) {
      this.output.warn(found.problem);
      void this.tell(found.problem);
      return;
    }
    this.output.info(`server: ${found.command} (${found.origin})`);
    const client = new LanguageClient(
      "graphmend",
      "graphmend",
      { command: found.command, args: SERVER_ARGUMENTS, transport: TransportKind.stdio },
      {
        documentSelector: SELECTOR,
        initializationOptions: choices(),
        outputChannel: this.output,
      },
    );
    try {
      await client.start();
      this.client = client;
      this.command = found.command;
    } catch (error) {
      void this.tell(`\`${found.command} server\` does not start: ${String(error)}`);
    }
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = this.command = undefined;
    await client?.dispose();
  }

  private async tell(problem: string): Promise<void> {
    const chosen = await vscode.window.showWarningMessage(`graphmend: ${problem}`, "Open Settings", "Show Output");
    if (chosen === "Open Settings") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "graphmend.path");
    } else if (chosen === "Show Output") {
      this.output.show();
    }
  }

  dispose(): void {
    void this.stop();
    this.output.dispose();
  }
}
