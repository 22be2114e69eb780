/** Settings of external services: mail, and messages with codes. */
import { Type, type Static } from 'typebox'
import { flag, formText, group, headerName, milliseconds, path, secret, text, whole } from './kinds.js'
import type { TextFormName } from './text-forms.js'

const EmailSwitches = Type.Object(
  { welcome: Type.Boolean(), resetPassword: Type.Boolean() },
  { additionalProperties: false }
)

const endpoint = (what: string) =>
  group({
    // Some services want their key in the URL, or in the body.
    url: Type.String({
      default: '',
      description: `${what}: URL; empty: none`,
      form: 'messageUrl' satisfies TextFormName,
      secret: true
    }),
    method: Type.Enum(['POST', 'GET'], { default: 'POST', description: `${what}: HTTP method` }),
    body: secret(`${what}: body`),
    headers: Type.Record(Type.String({ pattern: headerName }), Type.String({ pattern: '^[\\t -~]*$' }), {
      default: {},
      description: `${what}: headers`,
      secret: true
    })
  })
export type Endpoint = Static<ReturnType<typeof endpoint>>

export const services = group({
  email: group({
    enabled: Type.Union([Type.Boolean(), EmailSwitches], {
      default: true,
      description:
        'Which mails are sent: true: all, false: none, or {"welcome": …, "resetPassword": …}, where the latter includes mails about a changed address and notices'
    }),
    from: Type.String({
      default: '',
      pattern: '^(?:[^\\s@<>()\\[\\],;:"\\\\]+@[^\\s@<>()\\[\\],;:"\\\\]+)?$',
      description: 'Sender: an address; empty: no-reply at the host of the public URL'
    }),
    defaultLang: Type.String({
      default: 'en',
      pattern: '^[A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{2,3})?$',
      description: 'Language of mails to users for whose language there is no template'
    }),
    templatesDir: path(
      'Folder of custom mail templates: {template}/{language}/subject.txt, text.txt, html.html; empty: those of mail/',
      ''
    ),
    welcomeTemplate: path('Template of the mail to new users', 'welcome-email'),
    resetPasswordTemplate: path(
      'Template of the mail with the link that resets a password',
      'reset-password'
    ),
    notices: flag(
      'Tell users by mail of sign-ins from devices not seen before, and of changes to how they sign in',
      true
    ),
    timeoutMs: milliseconds('Time for delivering a mail to the mail server', 30_000),
    smtp: group({
      host: formText('host', 'Mail server; empty: none, and links of mails are logged instead'),
      port: Type.Integer({
        default: 587,
        minimum: 1,
        maximum: 65535,
        description: 'Port of the mail server'
      }),
      encryption: Type.Enum(['auto', 'starttls', 'tls'], {
        default: 'auto',
        description:
          'auto: STARTTLS if the server offers it; starttls: STARTTLS required; tls: TLS from the first byte'
      }),
      user: text('User name at the mail server; empty: no sign-in', ''),
      password: secret('Password at the mail server')
    }),
    http: group({
      // Some services want their key in the URL.
      url: Type.String({
        default: '',
        description: 'HTTP mail service to use instead of SMTP: POST {url}{template}/{language}; empty: none',
        form: 'webUrl' satisfies TextFormName,
        showsHostOnly: true
      }),
      key: secret('Key for the HTTP mail service')
    })
  }),
  mfa: group({
    mode: Type.Enum(['disabled', 'challenge-verify', 'single'], {
      default: 'disabled',
      description:
        'Messages with codes: disabled: none; challenge-verify: a messaging service creates and checks the codes; single: it only sends codes created here'
    }),
    pendingWith200: flag(
      'Respond to sign-ins that need a code with status 200 instead of 302, which some clients (`pryv` 3) take for a failure',
      false
    ),
    maxFailures: whole('Wrong codes of a user before attempts have to wait', 5, 1),
    maxMessages: whole('Messages with codes to a user before further ones have to wait', 10, 1),
    timeoutMs: milliseconds('Timeout of calls to the messaging service', 10_000),
    allowInternalTargets: flag('Allow a messaging service at an internal address', false),
    sessions: group({
      ttlSeconds: whole(
        'Time in which a code has to be given, after the password or after requesting a second factor',
        1800,
        1
      )
    }),
    sms: group({
      endpoints: group({
        challenge: endpoint('Call that makes the service send a code (challenge-verify)'),
        verify: endpoint('Call that checks a code (challenge-verify)'),
        single: endpoint('Call that sends a code (single)')
      })
    })
  })
})
