/** The language of code, by the ending of its file, its whole name or the program that its first line asks for. */

const endings: Readonly<Record<string, string>> = {
  asm: 'assembly s',
  astro: 'astro',
  bat: 'batch cmd',
  c: 'c h',
  clojure: 'clj cljs cljc edn',
  cmake: 'cmake',
  cpp: 'cc cpp cxx hh hpp hxx',
  csharp: 'cs',
  css: 'css',
  cuda: 'cu cuh',
  dart: 'dart',
  diff: 'diff patch',
  dockerfile: 'dockerfile',
  elixir: 'ex exs',
  elm: 'elm',
  erlang: 'erl hrl',
  fortran: 'f f90 f95',
  fsharp: 'fs fsi fsx',
  go: 'go',
  gradle: 'gradle',
  graphql: 'graphql gql',
  groovy: 'groovy',
  haskell: 'hs lhs',
  hcl: 'hcl tf tfvars',
  ini: 'ini cfg conf properties env',
  java: 'java',
  javascript: 'js mjs cjs jsx',
  json: 'json jsonc json5 jsonl ndjson geojson webmanifest',
  julia: 'jl',
  kotlin: 'kt kts',
  latex: 'tex sty bib',
  less: 'less',
  lisp: 'lisp el',
  lua: 'lua',
  make: 'mk',
  matlab: 'm',
  nim: 'nim',
  nix: 'nix',
  ocaml: 'ml mli',
  pascal: 'pas',
  perl: 'pl pm',
  php: 'php',
  powershell: 'ps1 psm1 psd1',
  prisma: 'prisma',
  proto: 'proto',
  python: 'py pyi pyw',
  r: 'r',
  ruby: 'rb rake gemspec',
  rust: 'rs',
  scala: 'scala sc',
  scheme: 'scm rkt',
  scss: 'scss sass',
  shell: 'sh bash zsh fish ksh',
  solidity: 'sol',
  sql: 'sql',
  svelte: 'svelte',
  swift: 'swift',
  terraform: 'tfstate',
  toml: 'toml',
  typescript: 'ts mts cts tsx',
  verilog: 'v sv',
  vhdl: 'vhd vhdl',
  vue: 'vue',
  wasm: 'wat',
  xml: 'xml xsd xsl xslt svg plist csproj props targets',
  yaml: 'yaml yml',
  zig: 'zig',
};

const wholeNames: Readonly<Record<string, string>> = {
  '.bashrc': 'shell',
  '.editorconfig': 'ini',
  '.gitignore': 'ini',
  '.profile': 'shell',
  '.zshrc': 'shell',
  'cmakelists.txt': 'cmake',
  containerfile: 'dockerfile',
  dockerfile: 'dockerfile',
  gemfile: 'ruby',
  gnumakefile: 'make',
  jenkinsfile: 'groovy',
  justfile: 'make',
  makefile: 'make',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
};

const programs: Readonly<Record<string, string>> = {
  awk: 'awk',
  bun: 'typescript',
  deno: 'typescript',
  elixir: 'elixir',
  groovy: 'groovy',
  julia: 'julia',
  lua: 'lua',
  make: 'make',
  node: 'javascript',
  nodejs: 'javascript',
  osascript: 'applescript',
  perl: 'perl',
  php: 'php',
  pwsh: 'powershell',
  python: 'python',
  rscript: 'r',
  ruby: 'ruby',
  bash: 'shell',
  dash: 'shell',
  fish: 'shell',
  ksh: 'shell',
  sh: 'shell',
  zsh: 'shell',
  tclsh: 'tcl',
};

const byEnding = new Map(
  Object.entries(endings).flatMap(([language, list]) => list.split(' ').map((ending) => [ending, language] as const)),
);
const byName = new Map(Object.entries(wholeNames));
const byProgram = new Map(Object.entries(programs));

export function languageOfName(name: string): string | undefined {
  const base = baseOf(name);
  return byName.get(base) ?? byEnding.get(endingOf(base));
}

/** `#!/usr/bin/env -S python3.12 -u` asks for python. */
export function languageOfShebang(text: string): string | undefined {
  if (!text.startsWith('#!')) return undefined;
  const [line = ''] = text.slice(2, 200).split('\n');
  const words = line.split(/\s+/).map((word) => word.slice(word.lastIndexOf('/') + 1));
  const program = words.find((word) => word !== '' && word !== 'env' && !word.startsWith('-') && !word.includes('='));
  return byProgram.get((program ?? '').toLowerCase().replace(/[\d.]+$/, ''));
}

export function baseOf(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).toLowerCase();
}

/** Without its dot; empty where there is none. */
export function endingOf(name: string): string {
  const base = baseOf(name);
  const dot = base.lastIndexOf('.');
  return dot < 0 ? '' : base.slice(dot + 1);
}
