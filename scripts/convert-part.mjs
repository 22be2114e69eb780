/** Converts bundled ES modules to scripts, whose compiled code can be cached. (scripts/load-part.cts) */
import { parseSync } from 'vite'

/** Libraries in CommonJS, which are loaded from their own files. */
const commonJs = /^(?:better-sqlite3$|@node-rs\/)/

/**
 * Returns a script, with the same lines, and the module that loads it with a loader and exports its results. Exports have the values
 * that they have once the script has run.
 */
export function convertPart(code, loader) {
  const { dynamicImports, importMetas, staticExports, staticImports } = parseSync('part.js', code).module
  const exported = staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName, localName }) => [quote(exportName.name), localName.name])
  )
  const imported = staticImports.map(({ moduleRequest }) => moduleRequest.value)
  const edits = [
    ...staticImports.map(({ end, entries, start }, index) => ({
      start,
      end,
      text: entries.map(entry => declare(entry, `imported${index}`)).join(' ')
    })),
    ...staticExports.map(({ end, start }) => ({
      start,
      end,
      text: `return { ${exported.map(([key, local]) => `${key}: ${local}`).join(', ')} };`
    })),
    ...dynamicImports.map(({ start }) => ({ start, end: start + 'import'.length, text: 'importModule' })),
    ...importMetas.map(place => ({ ...place, text: 'importMeta' }))
  ]
  const params = ['importMeta', 'importModule', ...imported.map((_, index) => `imported${index}`)]
  return {
    script: `module.exports = function (${params.join(', ')}) { 'use strict'; ${edit(code, edits)}\n};\n`,
    module: createModule(loader, imported, exported)
  }
}

/** Returns the module that loads a script. */
function createModule(loader, imported, exported) {
  const isCommonJs = imported.map(name => commonJs.test(name))
  const given = imported.map((name, index) =>
    isCommonJs[index] ? `importCommonJs(${quote(name)})` : `imported${index}`
  )
  const args = ['import.meta', 'name => import(name)', ...given].join(', ')
  const names = exported.map(([key], index) => `${key}: export${index}`).join(', ')
  return [
    `import { importCommonJs, loadPart } from ${quote(loader)};`,
    ...imported.flatMap((name, index) =>
      isCommonJs[index] ? [] : [`import * as imported${index} from ${quote(name)};`]
    ),
    `const { ${names} } = loadPart(${args});`,
    `export { ${exported.map(([key], index) => `export${index} as ${key}`).join(', ')} };`,
    ''
  ].join('\n')
}

/** Declares one name that is imported from a module. */
function declare({ importName, localName }, given) {
  if (importName.kind === 'NamespaceObject') return `const ${localName.value} = ${given};`
  const key = importName.kind === 'Default' ? 'default' : importName.name
  return `const { ${quote(key)}: ${localName.value} } = ${given};`
}

/** Replaces parts of the code by text with as many lines. */
function edit(code, edits) {
  let result = ''
  let at = 0
  for (const { end, start, text } of edits.toSorted((a, b) => a.start - b.start)) {
    const lines = code.slice(start, end).split('\n').length - 1
    result += code.slice(at, start) + text + '\n'.repeat(lines)
    at = end
  }
  return result + code.slice(at)
}

function quote(text) {
  return JSON.stringify(text)
}
