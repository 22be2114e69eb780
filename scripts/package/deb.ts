/** Makes the Debian package: the executable file, its unit, settings and documentation. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packageDirectory, version } from '../../core/version.js'
import { run } from './run.js'

/** What Debian calls kinds of processors. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Of 0 to 9: the usual one takes minutes for the executable file. */
const level = '-z1'

/** The scripts that dpkg runs. */
const hooks = ['postinst', 'prerm', 'postrm']

/** The kind of processor that packages made here are for, as Debian calls it. */
export const architecture = architectures[process.arch] ?? process.arch

/** Writes the package. `compression`: as `dpkg-deb -Z` takes it, such as `none`, which takes no time. */
export function makeDeb(executable: string, target: string, compression = 'xz'): void {
  const root = mkdtempSync(join(tmpdir(), 'coffer-deb-'))
  try {
    lay(root, executable)
    describe(root)
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
      if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
    chmodSync(root, 0o755)
    run('dpkg-deb', [`-Z${compression}`, level, '--root-owner-group', '--build', root, target])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Puts files where they will be. */
function lay(root: string, executable: string): void {
  const put = (from: string, to: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, to)), { recursive: true })
    copyFileSync(from, join(root, to))
    chmodSync(join(root, to), mode)
  }
  put(executable, 'usr/bin/coffer', 0o755)
  put(own('deploy', 'coffer.service'), 'usr/lib/systemd/system/coffer.service')
  put(own('deploy', 'deb', 'coffer.yaml'), 'etc/coffer/coffer.yaml', 0o640)
  for (const name of ['operation.md', 'deployment.md', 'settings.md'])
    put(own('docs', name), `usr/share/doc/coffer/${name}`)
  put(own('LICENSE'), 'usr/share/doc/coffer/copyright')
  const changes = gzipSync(readFileSync(own('CHANGELOG.md')), { level: 9 })
  writeFileSync(join(root, 'usr/share/doc/coffer/changelog.gz'), changes, { mode: 0o644 })
}

function own(...names: string[]): string {
  return join(packageDirectory, ...names)
}

/** Writes what dpkg is told. */
function describe(root: string): void {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted()
  const folder = join(root, 'DEBIAN')
  mkdirSync(folder)
  const write = (name: string, text: string, mode = 0o644): void => {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), mode)
  }
  const sums = files.map(name => `${digestOf(join(root, name))}  ${name}\n`)
  write('md5sums', sums.join(''))
  write('conffiles', '/etc/coffer/coffer.yaml\n')
  for (const name of hooks) write(name, readFileSync(own('deploy', 'deb', name), 'utf8'), 0o755)
  const bytes = files.reduce((sum, name) => sum + statSync(join(root, name)).size, 0)
  write(
    'control',
    `Package: coffer
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: The Coffer developers <coffer@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= ${libraryVersion()}), libgcc-s1, libstdc++6, libc-bin, passwd
Section: web
Priority: optional
Description: personal data service: events in streams, granted by accesses
 Keeps time-stamped data for many people, each of whom decides who sees what.
 Their data are SQLite files; there is no database server to install.
`
  )
}

/** The version of the C library here: libraries that were compiled on this machine may need it. */
function libraryVersion(): string {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  if (header.glibcVersionRuntime !== undefined) return header.glibcVersionRuntime
  throw new Error('A Debian package can be made only where Node runs on the GNU C library')
}

/** `1.0.0-rc.1` comes before `1.0.0`: Debian writes that with a tilde. */
function debianVersion(text: string): string {
  return text.replace('-', '~')
}

/** Debian checks files by MD5: against accidents, not attackers. */
function digestOf(file: string): string {
  return createHash('md5').update(readFileSync(file)).digest('hex')
}
