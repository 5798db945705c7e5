// Which executable is started, for every place where one may be.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findExecutable, type Surroundings } from "../src/executable";

const NOTHING: Surroundings = {
  setting: "",
  interpreter: undefined,
  trusted: true,
  workspaceFolders: ["/code/project"],
  home: "/home/ann",
  searchPath: "",
  windows: false,
  isExecutable: () => true,
};

function find(around: Partial<Surroundings>, ...files: string[]): string {
  const found = findExecutable({ ...NOTHING, isExecutable: (file) => files.includes(file), ...around });
  return "command" in found ? `${found.origin}: ${found.command}` : found.problem;
}

const BESIDE = "/code/project/.venv/bin/graphmend";
const ON_PATH = "/usr/bin/graphmend";
const EVERYWHERE = { interpreter: "/code/project/.venv/bin/python", searchPath: "/opt/bin:/usr/bin" };

test("the setting comes first, then the interpreter's environment, then PATH", () => {
  assert.equal(find({ ...EVERYWHERE, setting: "/a/graphmend" }, "/a/graphmend", BESIDE, ON_PATH), "setting: /a/graphmend");
  assert.equal(find(EVERYWHERE, BESIDE, ON_PATH), `interpreter: ${BESIDE}`);
  assert.equal(find(EVERYWHERE, ON_PATH), `PATH: ${ON_PATH}`);
});

test("a setting may be written relative to the home and to the workspace", () => {
  assert.equal(find({ setting: "~/bin/graphmend" }, "/home/ann/bin/graphmend"), "setting: /home/ann/bin/graphmend");
  assert.equal(find({ setting: " ${workspaceFolder}/.venv/bin/graphmend " }, BESIDE), `setting: ${BESIDE}`);
  assert.equal(find({ setting: ".venv/bin/graphmend" }, BESIDE), `setting: ${BESIDE}`);
  assert.match(find({ setting: "bin/graphmend", workspaceFolders: [] }), /a relative path, and no folder is open/);
});

test("a setting that leads nowhere is told, and nothing else is started", () => {
  const said = find({ ...EVERYWHERE, setting: "/gone/graphmend" }, BESIDE, ON_PATH);
  assert.match(said, /`graphmend\.path` names `\/gone\/graphmend`, and `\/gone\/graphmend` is no file that can be executed/);
});

test("a workspace without trust chooses nothing", () => {
  const distrusted = { ...EVERYWHERE, trusted: false };
  assert.equal(find(distrusted, BESIDE, ON_PATH), `PATH: ${ON_PATH}`);
  assert.match(find({ ...distrusted, setting: BESIDE }, BESIDE), /inside of the workspace\. It is started when the workspace is trusted/);
  assert.match(find({ ...distrusted, setting: "/code/project/../project/x" }, "/code/project/../project/x"), /inside of the workspace/);
  assert.equal(find({ ...distrusted, setting: "/code/projects/x" }, "/code/projects/x"), "setting: /code/projects/x");
  assert.match(find({ ...distrusted, searchPath: "/code/project/.venv/bin" }, BESIDE), /^There is no `graphmend` on PATH\./);
  assert.equal(find({ ...distrusted, setting: "" }, BESIDE), "There is no `graphmend` on PATH. " + INSTALL);
});

test("relative entries of PATH are not looked at", () => {
  assert.equal(find({ searchPath: ".:bin::/usr/bin" }, "graphmend", "bin/graphmend", ON_PATH), `PATH: ${ON_PATH}`);
});

const INSTALL = "Install it into the Python environment of the project, or name it in the setting `graphmend.path`.";

test("where there is none, the message says where it was looked for and what to do", () => {
  assert.equal(find({}), `There is no \`graphmend\` on PATH. ${INSTALL}`);
  const interpreter = "/code/project/.venv/bin/python";
  assert.equal(find({ interpreter }), `There is no \`graphmend\` beside \`${interpreter}\` or on PATH. ${INSTALL}`);
});

test("Windows has other paths and other names", () => {
  const windows = { windows: true, workspaceFolders: ["C:\\project"], home: "C:\\Users\\ann" };
  const scripts = "C:\\project\\.venv\\Scripts\\";
  assert.equal(find({ ...windows, interpreter: `${scripts}python.exe` }, `${scripts}graphmend.exe`), `interpreter: ${scripts}graphmend.exe`);
  assert.equal(find({ ...windows, interpreter: "D:\\conda\\python.exe" }, "D:\\conda\\Scripts\\graphmend.exe"), "interpreter: D:\\conda\\Scripts\\graphmend.exe");
  assert.equal(find({ ...windows, searchPath: "C:\\bin;D:\\bin" }, "D:\\bin\\graphmend.exe"), "PATH: D:\\bin\\graphmend.exe");
  assert.equal(find({ ...windows, setting: "~\\graphmend.exe" }, "C:\\Users\\ann\\graphmend.exe"), "setting: C:\\Users\\ann\\graphmend.exe");
  assert.match(find({ ...windows, trusted: false, setting: "c:\\PROJECT\\graphmend.exe" }, "c:\\PROJECT\\graphmend.exe"), /inside of the workspace/);
  assert.equal(find({ ...windows, trusted: false, setting: "D:\\graphmend.exe" }, "D:\\graphmend.exe"), "setting: D:\\graphmend.exe");
});
