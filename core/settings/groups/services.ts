/** Settings of external services: mail, and text messages with sign-in codes. */
import { Type, type Static } from 'typebox'
import { flag, formText, group, headerName, milliseconds, path, secret, text, integer } from '../kinds.js'
import type { TextFormName } from '../text-forms.js'

const EmailSwitches = Type.Object(
  {
    welcome: Type.Optional(Type.Boolean()),
    resetPassword: Type.Optional(Type.Boolean()),
    verifyEmail: Type.Optional(Type.Boolean())
  },
  { additionalProperties: false }
)

/** The settings of one endpoint of a messaging service. */
const endpoint = (what: string) =>
  group({
    // Some services want their key in the URL, or in the body.
    url: Type.String({
      default: '',
      description: `${what}: URL. If empty, it is not called`,
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
        'Emails to send. true: all except links that verify the address of a new account, false: none, or {"welcome": true, "resetPassword": true, "verifyEmail": false}, which are the defaults of the group. resetPassword includes security emails and emails about a changed address. verifyEmail: links that verify addresses, also those of new accounts'
    }),
    from: Type.String({
      default: '',
      pattern: '^(?:[^\\s@<>()\\[\\],;:"\\\\]+@[^\\s@<>()\\[\\],;:"\\\\]+)?$',
      description: 'Sender address. If empty, no-reply at the host of the public URL'
    }),
    defaultLang: Type.String({
      default: 'en',
      pattern: '^[A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{2,3})?$',
      description: 'Language of emails to users whose language has no template'
    }),
    templatesDir: path(
      'Folder with custom email templates: {template}/{language}/subject.txt, text.txt and html.html. If empty, the built-in templates are used',
      ''
    ),
    welcomeTemplate: path('Template of the welcome email', 'welcome-email'),
    resetPasswordTemplate: path('Template of the password reset email', 'reset-password'),
    notices: flag('Send security emails: sign-ins from new devices, and changes to how users sign in', true),
    timeoutMs: milliseconds('Timeout for sending an email, in milliseconds', 30_000),
    smtp: group({
      host: formText(
        'host',
        'Mail server. If empty, no email is sent, and links from emails are written to the log'
      ),
      port: Type.Integer({
        default: 587,
        minimum: 1,
        maximum: 65535,
        description: 'Port of the mail server'
      }),
      encryption: Type.Enum(['auto', 'starttls', 'tls'], {
        default: 'auto',
        description:
          'Encryption of the connection. auto: STARTTLS if available; starttls: STARTTLS required; tls: TLS'
      }),
      user: text('SMTP username. If empty, no authentication', ''),
      password: secret('SMTP password')
    }),
    http: group({
      // Some services want their key in the URL.
      url: Type.String({
        default: '',
        description:
          'HTTP mail service to use instead of SMTP: POST {url}{template}/{language}. If empty, none is used',
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
        'Codes by text message. disabled: none; challenge-verify: a messaging service creates and checks the codes; single: it sends codes created by this service'
    }),
    pendingWith200: flag(
      'Respond to sign-ins that need a code with status 200 instead of 302, which some clients (`pryv` 3) treat as a failure',
      false
    ),
    maxFailures: integer('Wrong codes per user before further attempts must wait', 5, 1),
    maxMessages: integer('Messages with codes per user before further messages must wait', 10, 1),
    timeoutMs: milliseconds('Timeout of calls to the messaging service, in milliseconds', 10_000),
    allowInternalTargets: flag('Allow a messaging service at an internal address', false),
    sessions: group({
      ttlSeconds: integer(
        'Time in which a code must be entered after the password, or after starting to turn on two-factor authentication, in seconds',
        1800,
        1
      )
    }),
    sms: group({
      endpoints: group({
        challenge: endpoint('Call that sends a code (challenge-verify)'),
        verify: endpoint('Call that checks a code (challenge-verify)'),
        single: endpoint('Call that sends a code (single)')
      })
    })
  })
})
