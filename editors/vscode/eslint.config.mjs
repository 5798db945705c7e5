// The strict rules of typescript-eslint, with types.
import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["out", "node_modules", "*.mjs"] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  { files: ["test/**"], rules: { "@typescript-eslint/no-floating-promises": "off" } }, // `test()` of node:test
);
