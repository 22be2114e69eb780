/** Sends mails over SMTP. The library is loaded with the first mail. */
import { domainToASCII } from 'node:url'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Config } from '../../settings/config.js'
import { listLanguages, getTemplate, type Message, type MailTransport } from './message.js'
import { renderMail } from './templates.js'

/**
 * Creates a transport that opens one connection per message, which can be closed at any time: the pool of a library
 * would wait for a server that hangs. The timeout covers the whole delivery.
 */
export function createSmtpTransport(config: Config): MailTransport {
  return {
    async deliver(message, signal) {
      const { timeoutMs } = config.services.email
      const mime = await buildMime(config, message)
      const { default: Connection } = await import('nodemailer/lib/smtp-connection')
      const connection = new Connection(buildConnectionOptions(config))
      const abort = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      // It may have been aborted while the mail was written: then there is no event any more.
      abort.throwIfAborted()
      try {
        await deliver(config, connection, message, mime, abort)
      } finally {
        connection.close()
      }
    }
  }
}

/** Builds the options of a connection to the configured SMTP server. */
function buildConnectionOptions({ publicUrl, services }: Config): SMTPConnection.Options {
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
    // Close immediately: the delivery has been acknowledged by then.
    socketCloseTimeout: 0
  }
}

/** Sends a mail over a new connection. Rejects with errors of the server, and on abort. */
function deliver(
  { publicUrl, services }: Config,
  connection: SMTPConnection,
  { email }: Message,
  mime: Buffer,
  abort: AbortSignal
): Promise<void> {
  const { from, smtp } = services.email
  return new Promise((resolve, reject) => {
    abort.addEventListener('abort', () => reject(new Error('timeout')), { once: true })
    connection.on('error', reject)
    connection.on('end', () => reject(new Error('the connection was closed')))
    const send = (): void =>
      connection.send({ from: getSender(from, publicUrl), to: [toRecipient(email)] }, mime, sendError =>
        sendError ? reject(sendError) : resolve()
      )
    connection.connect(error => {
      if (error) return reject(error)
      if (smtp.user === '') return send()
      const credentials = { user: smtp.user, pass: smtp.password }
      connection.login({ user: smtp.user, credentials }, loginError =>
        loginError ? reject(loginError) : send()
      )
    })
  })
}

/** Renders a mail in the languages of its recipient, as the bytes that are sent. */
async function buildMime(config: Config, message: Message): Promise<Buffer> {
  const { defaultLang, from, templatesDir } = config.services.email
  const template = getTemplate(config, message.kind)
  const values = { ...message.substitutions, SERVICE: config.service.name }
  const parts = await renderMail(templatesDir, template, listLanguages(message, defaultLang), values)
  const { default: Composer } = await import('nodemailer/lib/mail-composer')
  const address = getSender(from, config.publicUrl)
  const mail = new Composer({
    ...parts,
    from: { name: config.service.name, address },
    to: { name: message.username, address: message.email },
    disableFileAccess: true,
    disableUrlAccess: true,
    // Asks autoresponders, such as absence notes, not to reply.
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(message.unsubscribe !== undefined && {
        'List-Unsubscribe': `<${message.unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click'
      })
    }
  })
  return await mail.compile().build()
}

/**
 * Converts an address so that every mail server accepts it: with the domain as it is looked up. If the local part has
 * non-ASCII characters, too, it stays as it is: the server has to support them anyway.
 */
function toRecipient(email: string): string {
  const at = email.lastIndexOf('@')
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)]
  return isAscii(local) && !isAscii(domain) ? `${local}@${domainToASCII(domain) || domain}` : email
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

function getSender(from: string, publicUrl: string): string {
  return from || `no-reply@${new URL(publicUrl).hostname}`
}
