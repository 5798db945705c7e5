// Starts the server when there is Python to look at, and again when another executable is meant.

import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { onInterpreterChange } from "./python";
import { Server } from "./server";

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const server = new Server();
  context.subscriptions.push(
    server,
    ...registerCommands(server),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restartIfMoved()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("graphmend.path")) {
        await server.restartIfMoved();
      } else if (change.affectsConfiguration("graphmend")) {
        await server.sendChoices();
      }
    }),
  );
  await server.restart();
  const listening = await onInterpreterChange(() => void server.restartIfMoved()).catch(() => undefined);
  if (listening !== undefined) {
    context.subscriptions.push(listening);
  }
}
