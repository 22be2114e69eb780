/**
 * Builds the web pages into `dist/web`, with a gzipped copy of each file, and those of the API reference's viewer into `dist/viewer`. Fails if a part exceeds its size limit: the compressed size
 * of everything that a browser must load for it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { buildWorker, webManifest } from './build-offline.mjs'
import { loadStyles } from './load-styles.mjs'
import { measureIcons } from './measure-icons.mjs'

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
    webManifest(join(root, 'web/assets')),
    measureIcons(root),
    loadStyles()
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
      // A few large files compress better than many small ones: shared by all pages, of signing in, of the app.
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
              // Views of identity providers are loaded only if there are providers; the app needs no other than these views.
              test: /web.sign-in(?!.identities.(?:new-account|returned|texts|messages)|.passkeys.(?:browser|words|entry)|.compare-grants|.views.(?:back-link|error-pages))/,
              minShareCount: 2,
              priority: 1
            },
            { name: 'request', test: /web.sign-in.views.(?:back-link|error-pages)/, minShareCount: 2 },
            // Pages that are seldom opened share what others do not need.
            { name: 'common', test: /web.app.(?!channels.|reminders.)/, minShareCount: 3 }
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
/** Chunks by the path of their source: file, styles, and imports. */
const chunks = JSON.parse(readFileSync(manifestFile, 'utf8'))
rmSync(manifestFile)
await buildWorker({
  root,
  outDir,
  files: [...collectFiles(['app.html'], true)].toSorted((a, b) => (a < b ? -1 : 1)),
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

// The viewer of `/docs` is a library, of which only the compressed copies are built.
const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
mkdirSync(join(root, 'dist', 'viewer'), { recursive: true })
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js'])
  writeFileSync(
    join(root, 'dist', 'viewer', `${name}.gz`),
    gzipSync(readFileSync(join(viewer, name)), { level: 9 })
  )

/** Returns the files of chunks and of all that they import; with `isWhole` also of what they load later. */
function collectFiles(names, isWhole, seen = new Set()) {
  const files = new Set()
  for (const name of names) {
    if (seen.has(name)) continue
    seen.add(name)
    const { file, css = [], assets = [], imports = [], dynamicImports = [] } = chunks[name]
    for (const each of [file, ...css, ...assets]) files.add(each)
    const next = isWhole ? [...imports, ...dynamicImports] : imports
    for (const each of collectFiles(next, isWhole, seen)) files.add(each)
  }
  return files
}

/** Returns the compressed size in bytes, without icons, which are loaded only when the app is installed. */
function getSize(files) {
  return [...files]
    .filter(file => !file.endsWith('.png'))
    .reduce((sum, file) => sum + Number(sizes.get(file)), 0)
}

const isForeign = name => /messages\/(?!en)\w+\.json$/.test(name)
/** Texts of the app that the operator's page never loads. */
const isOfApp = name => /^app\/(?!shell\/)[a-z]+\/messages\//.test(name)
/** Loaded only if the operator provides a map. */
const isMap = name => name.startsWith('app/map/ground/')
/** Loaded by the map page, only if the operator provides no map. */
const isWorld = name => name === 'app/map/world.ts'
/** Loaded by pages of the app that show measures, after their first numbers. */
const isOfMeasures = name => name.startsWith('app/data/measure-icons')
/** Loaded only if the operator configures identity providers. */
const isOfIdentities = name => name.startsWith('sign-in/identities/')
/** Loaded only if passkeys are supported, after the page. */
const isOfPasskeys = name => name.startsWith('sign-in/passkeys/')
/** Loaded only by the account page. */
const isOfAccount = name => name.startsWith('app/account/')
/** Loaded only by the page that compares measures. */
const isOfComparing = name => name.startsWith('app/compare/')
/** Loaded only by the page of notifications. */
const isOfChannels = name => name.startsWith('app/channels/')
/** Loaded only by the weekly letter. */
const isOfLetter = name => name.startsWith('app/letter/')
/** Loaded by the page of reminders, and by Today after its cards. */
const isOfReminders = name => name.startsWith('app/reminders/')
/** Loaded only by the page of forms. */
const isOfForms = name => name.startsWith('app/forms/')
/** Loaded only by the page of alerts. */
const isOfAlerts = name => name.startsWith('app/alerts/')
/** Loaded only by the page of people, and by accounts that have people. */
const peoplePattern = /^app\/(?:people\/|data\/(?:news|followed))/
/** Loaded only by accounts that have people. */
const isOfChoice = name => name === 'app/shell/whose-choice.tsx'
const isOfPeople = name => peoplePattern.test(name)
/** Loaded only by the page of connections. */
const isOfConnections = name => name.startsWith('app/connect/')
/** Loaded only for the printout. */
const isOfReport = name => name.startsWith('app/report/')
/** Loaded only to change an access. */
const isOfEditing = name => name.startsWith('app/edit-access/')
/** Loaded only by the page of the user's own measures. */
const isOfOwnMeasures = name => name.startsWith('app/measures/')
/** Loaded only when an operator opens the settings. */
const isOfSettings = name => name.startsWith('operator/settings/')
/** Loaded only when an operator opens the page on data breaches, or that of the clients of OAuth. */
const isOfBreach = name => name.startsWith('operator/breach/')
const isOfClients = name => name.startsWith('operator/clients/')
/** The app in one language, without its pages of the account and of connections. */
const appFiles = collectFiles(
  ['app.html'],
  true,
  new Set(
    Object.keys(chunks).filter(
      name =>
        isForeign(name) ||
        isMap(name) ||
        isWorld(name) ||
        isOfMeasures(name) ||
        isOfIdentities(name) ||
        isOfPasskeys(name) ||
        isOfAccount(name) ||
        isOfConnections(name) ||
        isOfPeople(name) ||
        isOfChoice(name) ||
        isOfChannels(name) ||
        isOfLetter(name) ||
        isOfReminders(name) ||
        isOfForms(name) ||
        isOfAlerts(name) ||
        isOfComparing(name) ||
        isOfEditing(name) ||
        isOfReport(name) ||
        isOfOwnMeasures(name)
    )
  )
)
const firstFiles = collectFiles([
  'app.html',
  'app/today/page.tsx',
  ...findChunks(/^app\/(?:shell|today)\/messages\/en\.json$/)
])
report('sign-in pages', collectFiles(['index.html'], true), 60)
report('app, first page', firstFiles, 75)
report('app', appFiles, 191)
const editingFiles = collectFiles(findChunks(/^app\/edit-access\//).filter(name => !isForeign(name)))
report(
  'app, changing an access',
  [...editingFiles].filter(file => !appFiles.has(file)),
  4
)
const accountFiles = collectFiles(findChunks(/^app\/account\//).filter(name => !isForeign(name)))
report(
  'app, account page',
  [...accountFiles].filter(file => !appFiles.has(file)),
  16
)
/** Loaded only if a request waits until the user says what its fields mean. */
const isOfMapping = name => name === 'app/connect/mapping/mapping-editor.tsx'
const connectionFiles = collectFiles(
  findChunks(/^app\/connect\//).filter(name => !isForeign(name) && !isOfMapping(name))
)
report(
  'app, connections page',
  [...connectionFiles].filter(file => !appFiles.has(file)),
  14
)
report(
  'app, meaning of fields',
  [...collectFiles(findChunks(/^app\/connect\/mapping\/mapping-editor/))].filter(
    file => !appFiles.has(file) && !connectionFiles.has(file)
  ),
  6
)
const peopleFiles = collectFiles(findChunks(peoplePattern).filter(name => !isForeign(name)))
report(
  'app, people',
  [...peopleFiles].filter(file => !appFiles.has(file)),
  17
)
report(
  'app, whose data',
  [...collectFiles(['app/shell/whose-choice.tsx'])].filter(file => !appFiles.has(file)),
  1
)
const channelFiles = collectFiles(findChunks(/^app\/channels\//).filter(name => !isForeign(name)))
report(
  'app, notifications',
  [...channelFiles].filter(file => !appFiles.has(file)),
  7
)
const letterFiles = collectFiles(findChunks(/^app\/letter\//).filter(name => !isForeign(name)))
report(
  'app, weekly letter',
  [...letterFiles].filter(file => !appFiles.has(file) && !channelFiles.has(file)),
  6
)
const reminderFiles = collectFiles(findChunks(/^app\/reminders\//).filter(name => !isForeign(name)))
report(
  'app, reminders',
  [...reminderFiles].filter(file => !appFiles.has(file) && !channelFiles.has(file)),
  9
)
const formFiles = collectFiles(findChunks(/^app\/forms\//).filter(name => !isForeign(name)))
report(
  'app, forms',
  [...formFiles].filter(file => !appFiles.has(file)),
  5
)
const alertFiles = collectFiles(findChunks(/^app\/alerts\//).filter(name => !isForeign(name)))
report(
  'app, alerts',
  [...alertFiles].filter(file => !appFiles.has(file) && !channelFiles.has(file)),
  10
)
const comparingFiles = collectFiles(findChunks(/^app\/compare\//).filter(name => !isForeign(name)))
report(
  'app, comparing measures',
  [...comparingFiles].filter(file => !appFiles.has(file)),
  5
)
const reportFiles = collectFiles(findChunks(/^app\/report\//).filter(name => !isForeign(name)))
report(
  'app, printout',
  [...reportFiles].filter(file => !appFiles.has(file)),
  6
)
const ownMeasureFiles = collectFiles(findChunks(/^app\/measures\//).filter(name => !isForeign(name)))
report(
  'app, own measures',
  [...ownMeasureFiles].filter(file => !appFiles.has(file)),
  6
)
const operatorFiles = collectFiles(
  ['operator.html'],
  true,
  new Set(
    Object.keys(chunks).filter(
      name =>
        isForeign(name) ||
        isOfMeasures(name) ||
        isOfIdentities(name) ||
        isOfPasskeys(name) ||
        isOfApp(name) ||
        isOfSettings(name) ||
        isOfBreach(name) ||
        isOfClients(name)
    )
  )
)
report('operator’s page', operatorFiles, 84)
for (const [name, pattern, limit] of [
  ['settings of the operator’s page', /^operator\/settings\//, 7],
  ['data breaches on the operator’s page', /^operator\/breach\//, 4],
  ['clients on the operator’s page', /^operator\/clients\//, 3]
]) {
  const files = collectFiles(
    findChunks(pattern).filter(each => !isForeign(each)),
    false
  )
  report(
    name,
    [...files].filter(file => !operatorFiles.has(file)),
    limit
  )
}
const groundFiles = collectFiles(findChunks(/^app\/map\/ground\//))
report(
  'ground of the map',
  [...groundFiles].filter(file => !appFiles.has(file)),
  15
)
report(
  'world of the map',
  [...collectFiles(['app/map/world.ts'])].filter(file => !appFiles.has(file)),
  23
)
report(
  'icons of measures',
  [...collectFiles(findChunks(/^app\/data\/measure-icons/))].filter(file => !appFiles.has(file)),
  12
)
const passkeyFiles = collectFiles(
  findChunks(/^sign-in\/passkeys\//).filter(name => !isForeign(name)),
  false
)
report(
  'passkeys',
  [...passkeyFiles].filter(file => !appFiles.has(file)),
  3
)
const identityFiles = collectFiles(
  findChunks(/^sign-in\/identities\//).filter(name => !isForeign(name)),
  true,
  new Set(Object.keys(chunks).filter(isForeign))
)
report(
  'identities of providers',
  [...identityFiles].filter(file => !appFiles.has(file)),
  5
)

function findChunks(pattern) {
  return Object.keys(chunks).filter(name => pattern.test(name))
}

/** Prints the size of a part, and fails above its limit in KB. */
function report(name, files, limit) {
  const size = getSize(files) / 1024
  console.log(`${String(name)}: ${size.toFixed(1)} of ${Number(limit)} KB, compressed`)
  if (size > limit) process.exitCode = 1
}

/** Returns a plugin that replaces comments in the pages by the shared parts that they name. */
function sharedParts(folder, names) {
  const handler = html =>
    names.reduce(
      (page, name) =>
        page.replace(`<!-- ${name} -->`, () => readFileSync(join(folder, `${name}.html`), 'utf8').trim()),
      html
    )
  return { name: 'shared-parts', transformIndexHtml: { order: 'pre', handler } }
}
