/** A real mail server on loopback, and the mails that it received. */
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'
import { until } from './socket.js'

/** A received mail. */
export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body, as sent. */
  readonly source: string
  /** The plain text part, decoded. */
  readonly text: string
  /** The HTML part, decoded. */
  readonly html: string
  readonly subject: string
}

export class Mailbox {
  readonly mails: Mail[] = []
  port = 0
  /** Number of connections so far. */
  connections = 0

  /** Settings that send mails to this server. */
  get settings(): { services: { email: { smtp: { host: string; port: number } } } } {
    return { services: { email: { smtp: { host: '127.0.0.1', port: this.port } } } }
  }

  /** Waits until this many mails have been received in total; returns the last one. */
  async received(count: number): Promise<Mail> {
    await until(() => this.mails.length >= count, `${count} mails`)
    return this.mails[count - 1]!
  }

  /** Waits for this many mails to an address; returns the last one. */
  async receivedBy(address: string, count = 1): Promise<Mail> {
    const found = (): Mail[] => this.mails.filter(({ to }) => to.includes(address))
    await until(() => found().length >= count, `${count} mails to ${address}`)
    return found()[count - 1]!
  }
}

/** Returns the link in a mail. */
export function linkOf({ text }: Mail): URL {
  return new URL(/https?:\/\/\S+/.exec(text)![0])
}

/** Starts a mail server; the test's teardown stops it. */
export async function mailbox(t: Test, options: SMTPServerOptions = {}): Promise<Mailbox> {
  const made = new Mailbox()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect(_session, done) {
      made.connections++
      done()
    },
    onData(source, session, done) {
      const chunks: Buffer[] = []
      source.on('data', chunk => chunks.push(chunk as Buffer))
      source.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        made.mails.push(
          read(
            from,
            rcptTo.map(({ address }) => address),
            Buffer.concat(chunks).toString()
          )
        )
        done()
      })
    },
    ...options
  })
  server.on('error', () => {})
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', () => resolve()))
  made.port = (server.server.address() as AddressInfo).port
  t.teardown(() => new Promise<void>(resolve => server.close(() => resolve())))
  return made
}

function read(from: string, to: readonly string[], source: string): Mail {
  const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(source)?.[1] ?? ''
  return {
    from,
    to,
    source,
    text: part(source, 'text/plain'),
    html: part(source, 'text/html'),
    subject: words(subject)
  }
}

/** Returns the body of the part with this type. */
function part(source: string, type: string): string {
  const found = source
    .split(/\r\n--[^\r\n]+/)
    .find(piece => new RegExp(`content-type: ${type}`, 'i').test(piece))
  if (found === undefined) return ''
  const [head = '', ...body] = found.replace(/^\r\n/, '').split('\r\n\r\n')
  const text = body.join('\r\n\r\n')
  if (/quoted-printable/i.test(head)) return quoted(text.replaceAll('=\r\n', ''))
  return /base64/i.test(head) ? Buffer.from(text, 'base64').toString() : text
}

/** Decodes the words of a header that are not plain ASCII. */
function words(header: string): string {
  return header
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?(.*?)\?=/gi, (_whole, kind: string, text: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : quoted(text.replaceAll('_', ' '))
    )
}

function quoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_whole, hex: string) =>
    String.fromCharCode(parseInt(hex, 16))
  )
  return Buffer.from(bytes, 'latin1').toString()
}
