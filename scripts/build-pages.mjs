/**
 * Builds the web pages into `dist/web`, with a gzipped copy of each file. Fails if a part exceeds its size limit: what a browser
 * has to load for it, compressed.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { buildWorker, webManifest } from './build-offline.mjs'

const root = join(import.meta.dirname, '..')
const outDir = join(root, 'dist', 'web')

await build({
  root: join(root, 'web'),
  configFile: false,
  // Relative, so that the pages work below any path.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [
    sharedParts(join(root, 'web/parts'), ['head', 'noscript']),
    webManifest(join(root, 'web/assets'))
  ],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    manifest: 'manifest.json',
    rolldownOptions: {
      input: {
        index: join(root, 'web/index.html'),
        app: join(root, 'web/app.html'),
        operator: join(root, 'web/operator.html')
      },
      // Few files compress better than many small ones: what all pages share, those of signing in, those of the app.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /node_modules.preact|web.(?:parts.|[a-z-]+\.ts)|client.src.(?:errors|http|retries)/,
              minShareCount: 2,
              priority: 2
            },
            {
              name: 'sign-in',
              // Views of identities are loaded where there are providers.
              test: /web.sign-in(?!.identities.(?:new-account|returned|texts|messages)|.passkeys.(?:browser|words|entry))/,
              minShareCount: 2,
              priority: 1
            },
            { name: 'common', test: /web.app./, minShareCount: 3 }
          ]
        }
      }
    },
    // No inlining: the pages' content security policy forbids it.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false
  }
})

const manifestFile = join(outDir, 'manifest.json')
/** Each chunk by the path of its source: its file, styles, and what it imports. */
const chunks = JSON.parse(readFileSync(manifestFile, 'utf8'))
rmSync(manifestFile)
await buildWorker({
  root,
  outDir,
  files: [...filesOf(['app.html'], true)].toSorted((a, b) => (a < b ? -1 : 1)),
  main: chunks['app.html'].file
})

/** Compressed sizes by file. */
const sizes = new Map()
for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const path = join(entry.parentPath, entry.name)
  const compressed = gzipSync(readFileSync(path), { level: 9 })
  sizes.set(path.slice(outDir.length + 1).replaceAll('\\', '/'), compressed.length)
  writeFileSync(`${path}.gz`, compressed)
}

/** Names of the files of chunks and of all that they import, with `isWhole` also of what they load later. */
function filesOf(names, isWhole, seen = new Set()) {
  const files = new Set()
  for (const name of names) {
    if (seen.has(name)) continue
    seen.add(name)
    const { file, css = [], assets = [], imports = [], dynamicImports = [] } = chunks[name]
    for (const each of [file, ...css, ...assets]) files.add(each)
    const next = isWhole ? [...imports, ...dynamicImports] : imports
    for (const each of filesOf(next, isWhole, seen)) files.add(each)
  }
  return files
}

/** Icons are only loaded where the app is installed. */
function sizeOf(files) {
  return [...files]
    .filter(file => !file.endsWith('.png'))
    .reduce((sum, file) => sum + Number(sizes.get(file)), 0)
}

const isForeign = name => /messages\/(?!en)\w+\.json$/.test(name)
/** Texts of the app that the operator’s page never loads. */
const isOfApp = name => /^app\/(?!shell\/)[a-z]+\/messages\//.test(name)
/** Loaded only where the operator gives a map. */
const isMap = name => name.startsWith('app/map/ground/')
/** Loaded only where the operator names providers of identities. */
const isOfIdentities = name => name.startsWith('sign-in/identities/')
/** Loaded only where passkeys work, after the page. */
const isOfPasskeys = name => name.startsWith('sign-in/passkeys/')
/** Loaded only by those who look after their account. */
const isOfAccount = name => name.startsWith('app/account/')
/** Loaded only when an operator looks at the settings. */
const isOfSettings = name => name.startsWith('operator/settings/')
/** The app in one language, without its account page. */
const appFiles = filesOf(
  ['app.html'],
  true,
  new Set(
    Object.keys(chunks).filter(
      name =>
        isForeign(name) || isMap(name) || isOfIdentities(name) || isOfPasskeys(name) || isOfAccount(name)
    )
  )
)
const firstFiles = filesOf([
  'app.html',
  'app/timeline/page.tsx',
  ...chunkNames(/^app\/(?:shell|timeline)\/messages\/en\.json$/)
])
report('sign-in pages', filesOf(['index.html'], true), 60)
report('app, first page', firstFiles, 70)
report('app', appFiles, 160)
const accountFiles = filesOf(chunkNames(/^app\/account\//).filter(name => !isForeign(name)))
report(
  'app, account page',
  [...accountFiles].filter(file => !appFiles.has(file)),
  15
)
const operatorFiles = filesOf(
  ['operator.html'],
  true,
  new Set(
    Object.keys(chunks).filter(
      name =>
        isForeign(name) || isOfIdentities(name) || isOfPasskeys(name) || isOfApp(name) || isOfSettings(name)
    )
  )
)
report('operator’s page', operatorFiles, 78)
const settingsFiles = filesOf(
  chunkNames(/^operator\/settings\//).filter(name => !isForeign(name)),
  false
)
report(
  'settings of the operator’s page',
  [...settingsFiles].filter(file => !operatorFiles.has(file)),
  7
)
const groundFiles = filesOf(chunkNames(/^app\/map\/ground\//))
report(
  'ground of the map',
  [...groundFiles].filter(file => !appFiles.has(file)),
  15
)
const passkeyFiles = filesOf(
  chunkNames(/^sign-in\/passkeys\//).filter(name => !isForeign(name)),
  false
)
report(
  'passkeys',
  [...passkeyFiles].filter(file => !appFiles.has(file)),
  3
)
const identityFiles = filesOf(
  chunkNames(/^sign-in\/identities\//).filter(name => !isForeign(name)),
  true,
  new Set(Object.keys(chunks).filter(isForeign))
)
report(
  'identities of providers',
  [...identityFiles].filter(file => !appFiles.has(file)),
  5
)

function chunkNames(pattern) {
  return Object.keys(chunks).filter(name => pattern.test(name))
}

/** Prints the size of a part. `limit` in KB. */
function report(name, files, limit) {
  const size = sizeOf(files) / 1024
  console.log(`${String(name)}: ${size.toFixed(1)} of ${Number(limit)} KB, compressed`)
  if (size > limit) process.exitCode = 1
}

/** Puts what all pages have in common where a comment of its name stands in them. */
function sharedParts(folder, names) {
  const handler = html =>
    names.reduce(
      (page, name) =>
        page.replace(`<!-- ${name} -->`, () => readFileSync(join(folder, `${name}.html`), 'utf8').trim()),
      html
    )
  return { name: 'shared-parts', transformIndexHtml: { order: 'pre', handler } }
}
