/** Hands letters to a mail server, by SMTP. Its library is loaded with the first letter. */
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Config } from '../../settings/config.js'
import { languagesOf, templateOf, type Message, type MailTransport } from './message.js'
import { written } from './templates.js'

/**
 * One connection for each letter, which can be cut at any time: a library's pool would wait for a server that hangs. The
 * time is one for the whole.
 */
export function smtpTransport(config: Config): MailTransport {
  return {
    async deliver(letter, signal) {
      const { timeoutMs } = config.services.email
      const message = await messageOf(config, letter)
      const { default: Connection } = await import('nodemailer/lib/smtp-connection')
      const connection = new Connection(connectionOptions(config))
      const cutting = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      try {
        await handOver(config, connection, letter, message, cutting)
      } finally {
        connection.close()
      }
    }
  }
}

function connectionOptions({ publicUrl, services }: Config): SMTPConnection.Options {
  const { smtp, timeoutMs } = services.email
  return {
    host: smtp.host,
    port: smtp.port,
    secure: smtp.encryption === 'tls',
    requireTLS: smtp.encryption === 'starttls',
    name: new URL(publicUrl).hostname,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Closing cuts at once: what was said by then has been answered.
    socketCloseTimeout: 0
  }
}

function handOver(
  { publicUrl, services }: Config,
  connection: SMTPConnection,
  { email }: Message,
  message: Buffer,
  cutting: AbortSignal
): Promise<void> {
  const { from, smtp } = services.email
  return new Promise((resolve, reject) => {
    cutting.addEventListener('abort', () => reject(new Error('timeout')), { once: true })
    connection.on('error', reject)
    connection.on('end', () => reject(new Error('the connection was closed')))
    const send = (): void =>
      connection.send({ from: senderOf(from, publicUrl), to: [email] }, message, failed =>
        failed ? reject(failed) : resolve()
      )
    connection.connect(error => {
      if (error) return reject(error)
      if (smtp.user === '') return send()
      const credentials = { user: smtp.user, pass: smtp.password }
      connection.login({ user: smtp.user, credentials }, failed => (failed ? reject(failed) : send()))
    })
  })
}

async function messageOf(config: Config, letter: Message): Promise<Buffer> {
  const { defaultLang, from, templatesDir } = config.services.email
  const template = templateOf(config, letter.kind)
  const values = { ...letter.substitutions, SERVICE: config.service.name }
  const parts = await written(templatesDir, template, languagesOf(letter, defaultLang), values)
  const { default: Composer } = await import('nodemailer/lib/mail-composer')
  const address = senderOf(from, config.publicUrl)
  const mail = new Composer({
    ...parts,
    from: { name: config.service.name, address },
    to: { name: letter.username, address: letter.email },
    disableFileAccess: true,
    disableUrlAccess: true,
    // What answers by itself (absence notes) is asked not to.
    headers: { 'Auto-Submitted': 'auto-generated' }
  })
  return await mail.compile().build()
}

function senderOf(from: string, publicUrl: string): string {
  return from || `no-reply@${new URL(publicUrl).hostname}`
}
