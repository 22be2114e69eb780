/** The files with which a service begins, created once in this process: creating them is more than a third of a start. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Layout } from '../../storage/files/layout.js'
import { platformMigrations } from '../../storage/migrations/platform/index.js'
import { userMigrations } from '../../storage/migrations/user/index.js'
import { createFile } from '../../storage/sqlite/open.js'

let created: { readonly account: Buffer; readonly platform: Buffer } | undefined

/** Puts the empty platform file and the template of account files into a new data folder; a service checks them before using them. */
export function provideTemplates(directory: string): void {
  const { account, platform } = (created ??= createTemplates())
  const layout = new Layout(directory)
  writeFileSync(layout.templateFile(userMigrations.length), account, { mode: 0o600 })
  writeFileSync(layout.platformFile, platform, { mode: 0o600 })
}

function createTemplates(): NonNullable<typeof created> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-template-'))
  const file = join(folder, 'file')
  try {
    createFile(file, userMigrations)
    const account = readFileSync(file)
    createFile(file, platformMigrations)
    return { account, platform: readFileSync(file) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
