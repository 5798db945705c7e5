// The interpreter that the Python extension has selected, where that extension is there.

import * as vscode from "vscode";

/** What is used of the interface of `ms-python.python`. */
interface PythonEnvironments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
  resolveEnvironment(environment: { readonly path: string }): Promise<{ readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined>;
  readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

async function environments(): Promise<PythonEnvironments | undefined> {
  const extension = vscode.extensions.getExtension<{ readonly environments?: PythonEnvironments }>("ms-python.python");
  if (extension === undefined) {
    return undefined;
  }
  return (extension.isActive ? extension.exports : await extension.activate()).environments;
}

/** The path of the selected interpreter. */
export async function selectedInterpreter(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const known = await environments();
  if (known === undefined) {
    return undefined;
  }
  const resolved = await known.resolveEnvironment(known.getActiveEnvironmentPath(folder));
  return resolved?.executable.uri?.fsPath;
}

/** Calls back when another interpreter is selected. */
export async function onInterpreterChange(changed: () => void): Promise<vscode.Disposable | undefined> {
  return (await environments())?.onDidChangeActiveEnvironmentPath(changed);
}
