/** Which language a file is in, by its name. */

const BY_NAME: Readonly<Record<string, string>> = {
  "makefile": "make", "gnumakefile": "make", "dockerfile": "docker", "containerfile": "docker",
  "cmakelists.txt": "cmake", "codeowners": "codeowners", ".bashrc": "bash", ".zshrc": "bash",
  ".profile": "bash", "pkgbuild": "bash", "gemfile": "ruby", "rakefile": "ruby", "vagrantfile": "ruby",
  "jenkinsfile": "groovy", "go.mod": "go", "cargo.lock": "toml", "poetry.lock": "toml", "uv.lock": "toml",
  ".editorconfig": "ini", ".gitconfig": "ini", ".npmrc": "ini", ".babelrc": "json", "nginx.conf": "nginx",
};

const BY_ENDING: Readonly<Record<string, string>> = {
  mjs: "js", cjs: "js", mts: "ts", cts: "ts", pyi: "py", pyw: "py", htm: "html", xhtml: "html", svg: "xml",
  jsonc: "json", json5: "json", webmanifest: "json", mk: "make", cfg: "ini", conf: "ini", hxx: "cpp", inl: "cpp",
  m: "objc", mm: "objc", kts: "kotlin", gradle: "groovy", tf: "hcl", tfvars: "hcl", rake: "ruby",
  gemspec: "ruby", psm1: "powershell", pl: "perl", pm: "perl", bzl: "python", markdown: "md", mdx: "md",
};

/** What a highlighter may call the language of a file, best guess first. */
export function languagesOf(path: string): string[] {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf(".") + 1);
  const guesses = [known(BY_NAME, name), known(BY_ENDING, ending), ending, name.split(".")[0]];
  return guesses.filter((guess): guess is string => !!guess);
}

/** A file may be called `constructor`: only the table's own words count. */
function known(table: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
