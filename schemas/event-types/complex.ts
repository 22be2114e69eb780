/** The types whose content is more than one number, with their schemas. (docs/spec/event-types.md#classes) */
import { Type, type TSchema } from 'typebox'

/** Types without content: the event's streams, time, description or files say everything. */
const none = Type.Null()
const text = Type.String()
const longText = Type.String({ maxLength: 4_194_304 })
const number = (description: string) => Type.Number({ description })
const optional = (description: string) => Type.Optional(Type.Number({ description }))
const oneOf = (...values: string[]) => Type.Enum(values, { type: 'string' })

// Patterns are tested against clients' texts: each takes time linear in the length of the text.
const httpUrl = Type.String({ pattern: '^(https?)://.+$' })
/** `^(https?)://.+@.+$`, written so that a match is decided at the first `@`. */
const apiEndpoint = Type.String({ pattern: '^(https?)://.[^@\\n\\r\\u2028\\u2029]*@.+$' })
/** Text that only the clients can read, with the name of its key and a hint to people. */
const encrypted = Type.Object({ payload: text, keyRef: Type.Optional(text), hint: Type.Optional(text) })
const numericalType = '^[a-z0-9-]+/[a-z0-9-]+$'

export const complexTypes: Readonly<Record<string, TSchema>> = {
  'activity/plain': none,
  'attributes/biological-sex': oneOf('notSet', 'female', 'male', 'other'),
  'attributes/blood-type': oneOf(
    'notSet',
    'aPositive',
    'bPositive',
    'oPositive',
    'abPositive',
    'aNegative',
    'bNegative',
    'abNegative',
    'oNegative'
  ),
  'attributes/skin-type': oneOf(
    'notSet',
    'Pale white skin',
    'White skin',
    'White to light brown skin',
    'Beige-olive skin',
    'Brown skin',
    'Dark brown to black skin'
  ),
  'audio/attached': none,
  'audio/url': httpUrl,
  'audiogram/data': Type.Object({
    sensitivityPoints: Type.Array(Type.Object({})),
    start: Type.Union([Type.Number(), Type.String()]),
    end: Type.Union([Type.Number(), Type.String()]),
    metadata: Type.Optional(Type.Unknown())
  }),
  'blood-pressure/mmhg-bpm': Type.Object({
    systolic: number('mmHg'),
    diastolic: number('mmHg'),
    rate: optional('Beats per minute')
  }),
  'boolean/bool': Type.Boolean(),
  'call/name': text,
  'call/telephone': text,
  'clinical/fhir': Type.Object({
    displayName: text,
    clinicalType: oneOf(
      'allergyRecord',
      'immunizationRecord',
      'conditionRecord',
      'labResultRecord',
      'medicationRecord',
      'procedureRecord',
      'vitalSignRecord'
    ),
    fhir: Type.Optional(
      Type.Object({
        identifier: text,
        resourceType: oneOf(
          'allergyIntolerance',
          'condition',
          'immunization',
          'medicationOrder',
          'medicationDispense',
          'medicationStatement',
          'observation',
          'procedure'
        )
      })
    )
  }),
  'contact/vcard': text,
  'credentials/service-api-endpoint': apiEndpoint,
  'encrypted/aes-256-gcm': encrypted,
  'encrypted/aes-text-base64': encrypted,
  'encrypted/ecies-aes-256-gcm': encrypted,
  'file/attached': none,
  'file/attached-multiple': none,
  'file/url': httpUrl,
  'message/email': Type.Object({
    from: text,
    to: text,
    cc: Type.Optional(text),
    bcc: Type.Optional(text),
    subject: Type.Optional(text),
    body: text,
    'message-id': Type.Optional(text),
    'reply-to': Type.Optional(text),
    'x-headers': Type.Optional(Type.Object({}))
  }),
  'mood/rating': Type.Number({ maximum: 1, description: '0 worst, 1 best' }),
  'mood/emoticon': text,
  'music/basic': Type.Object({
    title: Type.Optional(text),
    artist: Type.Optional(text),
    album: Type.Optional(text),
    track: Type.Optional(Type.Integer()),
    year: Type.Optional(Type.Integer()),
    genre: Type.Optional(text)
  }),
  'note/html': longText,
  'note/txt': longText,
  'note/webclip': Type.Object({ url: httpUrl, content: Type.Optional(longText) }),
  'numset/*': Type.Object(
    {},
    {
      description: 'Under names of any kind: numbers by numerical type',
      additionalProperties: Type.Object(
        {},
        { propertyNames: { pattern: numericalType }, additionalProperties: Type.Number() }
      )
    }
  ),
  // An object, or a data URL: clients send both, and read `type` from the directory. (docs/spec/event-types.md#classes)
  'picture/base64': Type.Unsafe({
    type: ['object', 'string'],
    properties: {
      payload: text,
      format: oneOf('gif', 'jpeg', 'png', 'tiff', 'vnd.microsoft.com', 'svg+xml'),
      filename: text
    },
    required: ['payload', 'format'],
    pattern: '^data:image/[A-Za-z0-9.+-]+(?:;[A-Za-z0-9-]+=[A-Za-z0-9._-]+)*;base64,[A-Za-z0-9+/]*={0,2}$'
  }),
  'picture/attached': none,
  'picture/url': httpUrl,
  'position/wgs84': Type.Object({
    latitude: number('Degrees north'),
    longitude: number('Degrees east'),
    altitude: optional('Metres'),
    horizontalAccuracy: optional('Metres; negative if invalid'),
    verticalAccuracy: optional('Metres; negative if invalid'),
    speed: optional('Metres per second; negative if invalid'),
    bearing: optional('Degrees clockwise from north; negative if invalid')
  }),
  'ratio/generic': Type.Object({ value: Type.Number(), relativeTo: Type.Number() }),
  'ratio/percent': Type.Number(),
  'reproductive-health/sexual-activity': oneOf('notSet', 'protectionUsed', 'protectionNotUsed'),
  'reproductive-health/menstrual-flow': oneOf('unspecified', 'none', 'light', 'medium', 'heavy'),
  'reproductive-health/mucus-quality': oneOf('dry', 'sticky', 'creamy', 'watery', 'eggWhite'),
  'reproductive-health/ovulation': oneOf(
    'negative',
    'luteinizingHormoneSurge',
    'indeterminate',
    'estrogenSurge'
  ),
  'sleep/analysis': Type.Object({ analysis: Type.Optional(oneOf('inBed', 'asleep', 'awake')) }),
  'symptoms/severity': oneOf('notPresent', 'mild', 'moderate', 'severe', 'unspecified'),
  'symptoms/appetite-changes': oneOf('decreased', 'increased', 'noChange', 'unspecified'),
  'url/http': httpUrl,
  'video/attached': none,
  'video/url': httpUrl
}
