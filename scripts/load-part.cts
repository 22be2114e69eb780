/**
 * Loads bundled code with V8's code cache: compiling it took a third of the startup time. Node can't cache the code of ES modules, so
 * each bundle is a script, `NAME.cjs`, which a small ES module, `NAME.js`, loads. (scripts/convert-part.mjs)
 */
import fs = require('node:fs')
import nodeModule = require('node:module')
import path = require('node:path')
import vm = require('node:vm')

/** What such a script exports: a function that takes what its module has imported, and returns what the module exports. */
type Part = (
  meta: ImportMeta,
  importModule: (name: string) => Promise<unknown>,
  ...imported: readonly unknown[]
) => Readonly<Record<string, unknown>>

/** The loaded scripts, by file: `scripts/build-code-cache.mjs` writes their code. */
const scripts = new Map<string, vm.Script>()

/** Runs the script of a module, once. Returns the module's exports. The last parameters are what it imports, in order. */
function loadPart(...[meta, ...others]: Parameters<Part>): ReturnType<Part> {
  return load(meta.filename.replace(/js$/, 'cjs'))(meta, ...others)
}

function load(file: string): Part {
  // Node reads source maps only of modules.
  if (process.sourceMapsEnabled) return require(file) as Part
  const source = nodeModule.wrap(fs.readFileSync(file, 'latin1'))
  const script = new vm.Script(source, { filename: file, cachedData: readCode(file) })
  scripts.set(file, script)
  const module = { exports: {} }
  const run = script.runInThisContext() as (exports: object, load: NodeJS.Require, module: object) => void
  run(module.exports, require, module)
  return module.exports as Part
}

/** Reads the code of a script; `undefined` if there is none. V8 ignores code that does not fit its version and flags. */
function readCode(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(getCodeFile(file))
  } catch {
    return undefined
  }
}

/** Returns the file with the code of a script for this version of Node, and for this process's budget of V8: tests have another one. */
function getCodeFile(file: string): string {
  const { arch, execArgv, platform, version } = process
  const budgets = execArgv.filter(option => option.startsWith('--interrupt-budget='))
  const folder = ['code', version, platform, arch, ...budgets].join('-')
  return path.join(path.dirname(file), folder, path.basename(file, '.cjs'))
}

/** Imports a library in CommonJS like `import`, which would parse its source once more to find the names of its exports. */
function importCommonJs(name: string): object {
  const library = require(name) as object
  return { ...library, default: library }
}

export = { getCodeFile, importCommonJs, loadPart, scripts }
