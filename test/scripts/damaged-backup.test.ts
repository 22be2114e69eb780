/** Damaged files of unchanged size in a backup are detected, copied again, and reported once. */
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity } from 'age-encryption'
import t from 'tap'
import { makeBackup } from '../../scripts/backup/make-backup.js'
import { openPlace } from '../../scripts/backup/open-place.js'
import { Vault } from '../../scripts/backup/vault.js'
import { readSecret } from '../../scripts/terminal/passphrase.js'
import { Layout } from '../../storage/files/layout.js'
import { coffer } from '../support/coffer.js'
import { command } from '../support/command.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(900_000)

const none = { endpoint: '', region: '', accessKey: '', secretKey: '' }
const day = 86_400

/** The kinds of files in a backup. */
const kinds: readonly (readonly [string, RegExp])[] = [
  ['the file of an account', /^users\/.*\.sqlite(?:\.age)?$/],
  ['an attachment', /^users\/.*attachments\/..\/[^/]+$/],
  ['a list of files', /^users\/.*\.json(?:\.age)?$/],
  ['what the set-up chose', /^settings-.*\.yaml(?:\.age)?$/]
]

/** Changes a byte in the middle of a file, which may have other hard links. */
function damage(file: string): void {
  copyFileSync(file, `${file}.copy`)
  renameSync(`${file}.copy`, file)
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(file, bytes)
}

for (const isEncrypted of rotate(t, [false, true]))
  t.test(`a backup that is ${isEncrypted ? 'encrypted' : 'plain'}`, async t => {
    const service = await coffer(t)
    const { alice, directory, server } = service
    await alice.stream('diary')
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
    form.append('file', new Blob([Buffer.alloc(5000, 'x')]), 'a.txt')
    t.equal((await alice.http('POST', '/events', form)).status, 201)
    await service.user('bob')
    await server.close()
    writeFileSync(join(directory, 'settings.yaml'), 'service:\n  name: Our house\n')
    // Nothing was written for an hour, so that only damaged files have to be copied.
    const before = Date.now() / 1000 - 3600
    for (const name of readdirSync(join(directory, 'users'), { recursive: true, encoding: 'utf8' }))
      if (name.includes('user.sqlite')) utimesSync(join(directory, 'users', name), before, before)
    const folder = join(t.testdir(), 'backup')
    // Opened dozens of times: each time a passphrase takes a second.
    const identity = join(t.testdir({ identity: `${await generateX25519Identity()}\n` }), 'identity')
    chmodSync(identity, 0o600)
    const secret = isEncrypted ? [`--identity=${identity}`] : []
    const args = [`--dataDir=${directory}`, `--backup.to=${folder}`, '--json', ...secret]
    // From two days ago, with the same content.
    const vault = await Vault.openForWriting(
      await openPlace(folder, none, true),
      isEncrypted,
      readSecret(isEncrypted ? { identity } : {})
    )
    const made = Math.floor(Date.now() / 1000) - 2 * day
    t.same((await makeBackup(new Layout(directory), vault, { made })).problems, [])
    await vault.close()
    t.match(await command(['backup', ...args]), { code: 0 })
    for (const [what, pattern] of kinds)
      await t.test(`in which ${what} is damaged`, async t => {
        const [file] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
          pattern.test(name)
        )
        damage(join(folder, file!))
        const found = await command(['backup', ...args])
        t.equal(found.code, 1)
        t.match(JSON.parse(found.output), {
          copied: file!.startsWith('users') ? 1 : 0,
          problems: [{ detail: /has been copied again/, isMended: true }],
          verified: 2
        })
        t.match(await command(['backup', ...args]), { code: 0, errors: '' }, 'it is told once')
        const at = new Date((made + 60) * 1000).toISOString()
        for (const which of [[], [`--at=${at}`]]) {
          const { code, output } = await command(['restore', '--verify', ...which, ...args])
          t.equal(code, 0, output)
          t.match(JSON.parse(output), { accounts: 2, problems: [] }, 'earlier states are whole, too')
        }
      })
    await t.test('with --verify, for a given place', async t => {
      const [file] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
        kinds[0]![1].test(name)
      )
      damage(join(folder, file!))
      const named = ['backup', folder, '--verify', `--dataDir=${directory}`, ...secret]
      t.match(await command(named), {
        code: 1,
        errors: /\tits backup was damaged and has been copied again/
      })
      t.match(await command(named), { code: 0, output: /2 accounts verified by restoring/ })
    })
  })
