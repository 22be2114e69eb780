/** A real S3-compatible server on loopback, with one bucket. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { StorageSettings } from '../../scripts/backup/place.js'

/** The server's options; the package has no types. */
interface Options {
  readonly address: string
  readonly port: number
  readonly silent: boolean
  readonly directory: string
  readonly configureBuckets: readonly { readonly name: string }[]
}
type S3rver = new (options: Options) => {
  run(): Promise<AddressInfo>
  close(): Promise<void>
  httpServer: Server
}

export interface Bucket {
  /** The URL of a path in the bucket. */
  readonly to: string
  readonly settings: StorageSettings
  /** The same settings as flags. */
  readonly flags: readonly string[]
  /** Returns the keys of the objects in the bucket. */
  keys(): string[]
}

/** Starts the server; the test's teardown stops it. */
export async function bucket(t: Test, prefix = 'coffer'): Promise<Bucket> {
  const Server = createRequire(import.meta.url)('s3rver') as S3rver
  const directory = mkdtempSync(join(tmpdir(), 'coffer-bucket-'))
  const server = new Server({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'safe' }]
  })
  const { port } = await server.run()
  t.teardown(async () => {
    server.httpServer.closeAllConnections()
    const closed = once(server.httpServer, 'close')
    void server.close()
    await closed
    rmSync(directory, { recursive: true, force: true })
  })
  const settings = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKey: 'S3RVER',
    secretKey: 'S3RVER'
  }
  const flags = Object.entries(settings).map(([name, value]) => `--backup.s3.${name}=${value}`)
  const keys = (): string[] =>
    readdirSync(join(directory, 'safe'), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('_object'))
      .map(name => name.replace(/\._S3rver_object$/, ''))
  return { to: `s3://safe/${prefix}`, settings, flags, keys }
}
