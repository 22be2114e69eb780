/** The template of account files, made by the first service of this process: making it is a third of a start. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Layout } from '../../storage/files/layout.js'
import { userMigrations } from '../../storage/migrations/user/index.js'

let made: Buffer | undefined

/** Puts the template into a new data folder; a service checks it before using it. */
export function provideTemplate(directory: string): void {
  if (made) writeFileSync(getPath(directory), made, { mode: 0o600 })
}

/** Keeps the template that a service has made in its data folder. */
export function keepTemplate(directory: string): void {
  if (!made && existsSync(getPath(directory))) made = readFileSync(getPath(directory))
}

function getPath(directory: string): string {
  return new Layout(directory).templateFile(userMigrations.length)
}
