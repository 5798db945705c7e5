// VS Code itself, in a headless browser: installs the packaged extension, opens a file, mends it and saves it. Pictures go to build/vscode.
//
// usage: node window.mjs PICTURES.  VSCODE_SERVER is the folder of a VS Code server (with out/server-main.js; lib/vscode of the package
// code-server is one), VSCODE_NODE the node to run it with, CHROMIUM the browser, GRAPHMEND the executable.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

const { VSCODE_SERVER, VSCODE_NODE = process.execPath, CHROMIUM = "/usr/bin/chromium", GRAPHMEND } = process.env;
const VSIX = path.resolve(import.meta.dirname, "../../../dist/graphmend.vsix");
const PATIENCE = 240_000;
const ASSUMED = `import torch


@torch.compile
def f(x: torch.Tensor):
    s = x.sum()
    if s > 0:
        y = s + 1.0
    else:
        y = s - 1.0
    return y
`;

/** A port that is free now. */
function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function startServer(folder, port) {
  const main = [path.join(VSCODE_SERVER, "out/server-main.js"), "--server-data-dir", path.join(folder, "data"), "--accept-server-license-terms"];
  const environment = { ...process.env, PATH: `${path.dirname(GRAPHMEND)}:${process.env.PATH}`, HOME: folder };
  const installed = spawnSync(VSCODE_NODE, [...main, "--install-extension", VSIX], { env: environment, encoding: "utf8" });
  assert.match(installed.stdout, /successfully installed/, installed.stdout + installed.stderr);
  const server = spawn(VSCODE_NODE, [...main, "--host", "127.0.0.1", "--port", port, "--without-connection-token"], { env: environment });
  await new Promise((resolve) => server.stdout.on("data", (data) => String(data).includes("Web UI available") && resolve()));
  return server;
}

/** Runs a command of the palette by its title. */
async function command(page, title) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first().click();
}

async function look(page, picture) {
  // The window does not trust the folder: the executable is that of PATH.
  await page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: "a.py" }).dblclick();
  await page.locator(".squiggly-warning").first().waitFor({ state: "attached" });
  await command(page, "View: Focus Problems");
  await page.locator(".markers-panel").getByText("branch on the value of a tensor").first().waitFor();
  await page.screenshot({ path: picture("finding") });
  await page.locator(".view-line").filter({ hasText: "if s > 0" }).click();
  await command(page, "graphmend: Fix File with Assumptions");
  const dialog = page.locator(".monaco-dialog-box");
  await dialog.getByText("is a floating point tensor").waitFor();
  await page.screenshot({ path: picture("assumption") });
  await dialog.getByRole("button", { name: "Write" }).click();
  await page.locator(".view-line").filter({ hasText: "torch.where" }).waitFor();
  await page.locator(".squiggly-warning").waitFor({ state: "detached" });
  await page.keyboard.press("ControlOrMeta+S");
  await page.waitForTimeout(3000);
  await page.screenshot({ path: picture("mended") });
}

const pictures = path.resolve(process.argv[2]);
const folder = mkdtempSync(path.join(tmpdir(), "graphmend-window-"));
const project = path.join(folder, "project");
mkdirSync(pictures, { recursive: true });
mkdirSync(project);
writeFileSync(path.join(project, "a.py"), ASSUMED);
const port = String(await freePort());
const server = await startServer(folder, port);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 760 } });
  page.setDefaultTimeout(PATIENCE);
  await page.goto(`http://127.0.0.1:${port}/?folder=${project}`);
  await look(page, (name) => path.join(pictures, `${name}.png`)).catch(async (error) => {
    await page.screenshot({ path: path.join(pictures, "failed.png") });
    throw error;
  });
  const fixed = spawnSync(GRAPHMEND, ["fix", "--isolated", "--unsafe", "-"], { input: ASSUMED, encoding: "utf8" }).stdout;
  assert.equal(readFileSync(path.join(project, "a.py"), "utf8"), fixed);
  console.log(`vscode: the extension mends a file in VS Code; pictures are in ${pictures}`);
} finally {
  await browser.close();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
