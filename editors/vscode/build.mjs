// Bundles: the extension, one file without node_modules, and its tests.
import { rmSync } from "node:fs";
import { build } from "esbuild";

const common = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning", minify: true };

rmSync("out", { recursive: true, force: true });
await build({ ...common, entryPoints: ["src/extension.ts"], outfile: "out/extension.js", external: ["vscode"] });
await build({ ...common, entryPoints: ["test/executable.test.ts", "test/protocol.test.ts"], outdir: "out/test" });
