// What the client tells the server of the editor's settings.

/** The settings that are the editor's own; all others are those of pyproject.toml. */
export interface Choices {
  readonly codeLens: boolean;
  readonly inlayHints: boolean;
}

export const DEFAULTS: Choices = { codeLens: true, inlayHints: false };

/** Python files, whether saved or not, and cells of notebooks. */
export const SELECTOR = [
  { language: "python", scheme: "file" },
  { language: "python", scheme: "untitled" },
  { notebook: "jupyter-notebook", language: "python" },
];

/** Kinds of code actions: all mends that are proved, and with them all that rest on an assumption. */
export const FIX_ALL = "source.fixAll.graphmend";
export const FIX_UNSAFE = "source.graphmend.fixUnsafe";

/** The arguments of the executable. */
export const SERVER_ARGUMENTS = ["server"];
