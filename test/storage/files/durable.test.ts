/** Removing files without blocking the disk for others. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { removeInParts, truncateInParts } from '../../../storage/files/durable.js'

const megabyte = 1024 * 1024

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'coffer-files-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Creates a sparse file, which takes no space whatever its size. */
function sparse(file: string, size: number): string {
  writeFileSync(file, '')
  truncateSync(file, size)
  return file
}

t.test('a large file', async t => {
  for (const { size, parts, left } of [
    { size: 0, parts: 0, left: 0 },
    { size: 64, parts: 0, left: 64 },
    { size: 65, parts: 1, left: 1 },
    { size: 800, parts: 12, left: 32 }
  ])
    t.test(`is truncated in steps: ${size} MB`, async t => {
      const file = sparse(join(folder(t), 'file'), size * megabyte)
      t.equal(await truncateInParts(file), parts)
      t.equal(statSync(file).size, left * megabyte)
    })
})

t.test('a folder is removed with its contents, and may be missing', async t => {
  const path = join(folder(t), 'account')
  mkdirSync(join(path, 'attachments'), { recursive: true })
  sparse(join(path, 'user.sqlite'), 200 * megabyte)
  sparse(join(path, 'attachments', 'one'), 1000)
  await removeInParts(path)
  t.notOk(existsSync(path))
  await removeInParts(path)
})
