/** Backups include the settings chosen at setup; restoring ignores settings that an attacker adds to a backup. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { generateX25519Identity } from 'age-encryption'
import { parse, stringify } from 'yaml'
import { coffer } from '../support/coffer.js'
import { command, type Ended } from '../support/command.js'
import { ForgedBackup } from '../support/forged-backup.js'

t.setTimeout(900_000)

const chosen = {
  service: { name: 'Our diary' },
  publicUrl: 'https://coffer.example.net',
  registration: { invitationTokens: ['welcome-all'] },
  services: { email: { from: 'coffer@example.net', smtp: { host: 'mail.example.net', password: 'secret' } } },
  operators: ['alice'],
  adminKey: 'key of the operator, long enough'
}

interface World {
  /** The settings file in the data directory. */
  readonly file: string
  readonly folder: string
  backup(...more: string[]): Promise<Ended>
  restore(name: string, ...more: string[]): Promise<Ended>
  /** Returns the text of the restored settings file. */
  restored(name: string): string
}

/** Creates a service with functions that back up and restore its settings. */
async function sample(t: Test, isEncrypted = false): Promise<World> {
  const { directory } = await coffer(t)
  const at = t.testdir()
  const folder = join(at, 'backup')
  // With an identity: a passphrase takes a second each time.
  const identity = join(at, 'identity')
  writeFileSync(identity, await generateX25519Identity(), { mode: 0o600 })
  const secret = isEncrypted ? [`--identity=${identity}`] : []
  return {
    file: join(directory, 'settings.yaml'),
    folder,
    backup: async (...more) =>
      await command(['backup', folder, '--json', `--dataDir=${directory}`, ...secret, ...more]),
    restore: async (name, ...more) =>
      await command(['restore', folder, `--dataDir=${join(at, name)}`, ...secret, ...more]),
    restored: name => readFileSync(join(at, name, 'settings.yaml'), 'utf8')
  }
}

/** Returns the names of settings files in a backup. */
function copiesIn(folder: string): string[] {
  return readdirSync(folder).filter(name => name.startsWith('settings-'))
}

t.test('settings in a backup', async t => {
  t.test('are restored with private permissions', async t => {
    const { backup, file, folder, restore, restored } = await sample(t)
    writeFileSync(file, stringify(chosen))
    t.match(await backup(), { code: 0 })
    const done = await restore('data')
    t.equal(done.code, 0, done.errors)
    t.same(parse(restored('data')), chosen)
    t.equal(statSync(join(folder, '..', 'data', 'settings.yaml')).mode & 0o777, 0o600)
    t.match(await restore('nothing', '--verify'), { code: 0, output: '1 account verified' })
    const again = await restore('data')
    t.match(again, { code: 1, errors: /is not empty.*Move it away/ })
  })

  t.test('are stored once while unchanged, and dropped once deleted', async t => {
    const { backup, file, folder, restore } = await sample(t)
    t.match(await backup(), { code: 0 })
    t.same(copiesIn(folder), [])
    writeFileSync(file, stringify(chosen))
    await backup()
    const [first] = copiesIn(folder)
    await backup()
    t.same(copiesIn(folder), [first])
    writeFileSync(file, stringify({ ...chosen, operators: ['carol'] }))
    t.match(await backup(), { code: 0 })
    t.equal(copiesIn(folder).length, 1)
    t.not(copiesIn(folder)[0], first)
    rmSync(file)
    await backup()
    t.same(copiesIn(folder), [])
    t.match(await restore('data'), { code: 0 })
    t.notOk(existsSync(join(folder, '..', 'data', 'settings.yaml')))
  })

  t.test('are restored verbatim, comments included, from an encrypted backup', async t => {
    const { backup, file, folder, restore, restored } = await sample(t, true)
    const text = `# mine\n${stringify({ ...chosen, http: { trustedProxies: ['127.0.0.1'] } })}`
    writeFileSync(file, text)
    t.match(await backup(), { code: 0 })
    t.match(copiesIn(folder), [/^settings-.*\.yaml\.age$/])
    t.notMatch(readFileSync(join(folder, copiesIn(folder)[0]!), 'latin1'), 'Our diary')
    const done = await restore('data')
    t.equal(done.code, 0, done.errors)
    t.equal(restored('data'), text)
  })

  t.test('never name a program when the backup is not authenticated', async t => {
    const { backup, file, folder, restore, restored } = await sample(t)
    writeFileSync(file, stringify(chosen))
    await backup()
    const forged = new ForgedBackup(folder)
    const { settings } = forged.manifest
    const more = { ...chosen, auth: { authorizationStep: '/tmp/x.mjs' }, nonsense: 1 }
    forged.write(settings, Buffer.from(stringify(more)))
    forged.save()
    const done = await restore('data')
    t.equal(done.code, 0, done.errors)
    t.match(done.errors, /skipped, because the backup is not encrypted:\s+auth\.authorizationStep, nonsense/)
    t.same(parse(restored('data')), chosen)
    for (const [name, text] of [
      ['list', '- a\n- b\n'],
      ['broken', 'a: [\n'],
      ['bomb', `a: &a [1]\n${Array.from({ length: 200 }, (_, n) => `b${n}: *a\n`).join('')}`],
      ['wrong', stringify({ ...chosen, publicUrl: 7 })]
    ] as const) {
      forged.write(settings, Buffer.from(text))
      forged.save()
      const refused = await restore(name)
      t.match(refused, { code: 0, errors: /settings\.yaml.* skipped/ }, name)
      t.notMatch(refused.errors, /^ {4}at /m)
    }
  })

  t.test('prevent a restore when damaged, unless forced', async t => {
    const { backup, file, folder, restore } = await sample(t)
    writeFileSync(file, stringify(chosen))
    await backup()
    writeFileSync(join(folder, copiesIn(folder)[0]!), 'service: { name: other }')
    t.match(await restore('data'), { code: 1, errors: /Nothing was restored[^]*settings\t/ })
    t.match(await restore('nothing', '--verify'), { code: 1, errors: /^settings\t/m })
    t.match(await restore('data', '--skip-damaged'), { code: 1, output: '1 account, 1 problem' })
    const forged = new ForgedBackup(folder)
    forged.changeManifest(({ settings }) => (settings.name = '../settings.yaml'))
    t.match(await restore('other'), { code: 1, errors: 'is not a valid name' })
    const bytes = Buffer.alloc(1024 * 1024 + 1, '#')
    const digest = createHash('sha256').update(bytes).digest('hex')
    forged.changeManifest(
      manifest => (manifest.settings = { name: 'settings-a-b.yaml', size: bytes.length, digest })
    )
    writeFileSync(join(folder, 'settings-a-b.yaml'), bytes)
    t.match(await restore('other'), { code: 1, errors: 'is too large' })
  })

  t.test('are not followed and are reported when the file is a link', async t => {
    const { backup, file, folder } = await sample(t)
    writeFileSync(join(folder, '..', 'secret.yaml'), 'service: { name: secret }')
    symlinkSync(join(folder, '..', 'secret.yaml'), file)
    t.match(await backup(), { code: 1, output: /settings\.yaml: .* is not a file/ })
    t.same(copiesIn(folder), [])
  })
})
