// Which `graphmend` is started: the path of the settings, else the one beside the selected Python interpreter, else the first on PATH.
//
// A workspace that is not trusted chooses nothing: neither its settings nor an environment inside of it. Nothing here needs VS Code, so that
// the tests run in plain Node.

import * as path from "node:path";

/** What is known when an executable is wanted. */
export interface Surroundings {
  /** The setting `graphmend.path`; empty when there is none. In a workspace that is not trusted: the user's own. */
  readonly setting: string;
  /** The selected Python interpreter, where the Python extension has one. */
  readonly interpreter: string | undefined;
  readonly trusted: boolean;
  readonly workspaceFolders: readonly string[];
  readonly home: string;
  /** The variable PATH. */
  readonly searchPath: string;
  readonly windows: boolean;
  /** Whether a path is a file that may be executed. */
  readonly isExecutable: (file: string) => boolean;
}

/** The executable, or why there is none. */
export type Found =
  | { readonly command: string; readonly origin: "setting" | "interpreter" | "PATH" }
  | { readonly problem: string };

const INSTALL = "Install it into the Python environment of the project, or name it in the setting `graphmend.path`.";

/** The rules for paths of the platform that is looked at, which in tests is not always this one. */
function rules(around: Surroundings): path.PlatformPath {
  return around.windows ? path.win32 : path.posix;
}

function nameOf(around: Surroundings): string {
  return around.windows ? "graphmend.exe" : "graphmend";
}

function isInside(around: Surroundings, file: string): boolean {
  return around.workspaceFolders.some((folder) => {
    const relative = rules(around).relative(folder, file);
    return relative !== "" && relative.split(rules(around).sep)[0] !== ".." && !rules(around).isAbsolute(relative);
  });
}

/** The setting with `~` and `${workspaceFolder}` replaced; a relative path starts at the first folder. */
function settingPath(around: Surroundings): string | undefined {
  const folder = around.workspaceFolders[0];
  let file = around.setting.trim();
  if (file === "~" || file.startsWith("~/") || file.startsWith("~\\")) {
    file = around.home + file.slice(1);
  }
  if (folder !== undefined) {
    file = file.replaceAll("${workspaceFolder}", folder);
  }
  if (rules(around).isAbsolute(file)) {
    return file;
  }
  return folder === undefined ? undefined : rules(around).join(folder, file);
}

function fromSetting(around: Surroundings): Found {
  const file = settingPath(around);
  const said = `The setting \`graphmend.path\` names \`${around.setting.trim()}\``;
  if (file === undefined) {
    return { problem: `${said}, a relative path, and no folder is open.` };
  }
  if (!around.trusted && isInside(around, file)) {
    return { problem: `${said}, which is inside of the workspace. It is started when the workspace is trusted.` };
  }
  if (!around.isExecutable(file)) {
    return { problem: `${said}, and \`${file}\` is no file that can be executed.` };
  }
  return { command: file, origin: "setting" };
}

function fromInterpreter(around: Surroundings): string | undefined {
  if (around.interpreter === undefined || !around.trusted) {
    return undefined;
  }
  const folder = rules(around).dirname(around.interpreter);
  // In a conda environment on Windows, scripts are not beside python.exe.
  const folders = around.windows ? [folder, rules(around).join(folder, "Scripts")] : [folder];
  return folders.map((each) => rules(around).join(each, nameOf(around))).find(around.isExecutable);
}

/** Relative entries of PATH would be inside of whatever folder is open. */
function fromSearchPath(around: Surroundings): string | undefined {
  return around.searchPath
    .split(rules(around).delimiter)
    .filter((folder) => rules(around).isAbsolute(folder))
    .map((folder) => rules(around).join(folder, nameOf(around)))
    .filter((file) => around.trusted || !isInside(around, file))
    .find(around.isExecutable);
}

/** The executable to start. A setting that leads nowhere is a problem: another executable than the chosen one would surprise. */
export function findExecutable(around: Surroundings): Found {
  if (around.setting.trim() !== "") {
    return fromSetting(around);
  }
  const beside = fromInterpreter(around);
  if (beside !== undefined) {
    return { command: beside, origin: "interpreter" };
  }
  const command = fromSearchPath(around);
  if (command !== undefined) {
    return { command, origin: "PATH" };
  }
  const where = around.interpreter === undefined || !around.trusted ? "on PATH" : `beside \`${around.interpreter}\` or on PATH`;
  return { problem: `There is no \`${nameOf(around)}\` ${where}. ${INSTALL}` };
}
