/** The event types in the documentation, with contents that each must accept and refuse. */

interface Samples {
  readonly accepted: readonly unknown[]
  readonly refused: readonly unknown[]
}

const none: Samples = { accepted: [undefined, null], refused: ['x', 0, false, {}, []] }
const text: Samples = { accepted: ['some text', ''], refused: [12, null, {}, ['x']] }
const note: Samples = {
  accepted: ['x', 'x'.repeat(4_194_304)],
  refused: [12, undefined, 'x'.repeat(4_194_305)]
}
const encrypted: Samples = {
  accepted: [{ payload: 'x' }, { payload: 'x', keyRef: 'k' }, { payload: 'x', hint: 'h' }],
  refused: [{ keyRef: 'k' }, { payload: 1 }, { payload: 'x', keyRef: 1 }, { payload: 'x', hint: 1 }, 'x']
}
const url: Samples = {
  accepted: ['http://example.com', 'https://example.com/a?b=c#d'],
  refused: ['ftp://example.com', 'http://', 'xhttp://example.com', 'example.com', 12, null, 'http://a\nb']
}
const oneOf = (values: string): Samples => ({
  accepted: values.split(', '),
  refused: ['something else', '', 0, null]
})

export const documentedTypes: Readonly<Record<string, Samples>> = {
  'activity/plain': none,
  'attributes/biological-sex': oneOf('notSet, female, male, other'),
  'attributes/blood-type': oneOf(
    'notSet, aPositive, bPositive, oPositive, abPositive, aNegative, bNegative, abNegative, oNegative'
  ),
  'attributes/skin-type': oneOf(
    'notSet, Pale white skin, White skin, White to light brown skin, Beige-olive skin, Brown skin, Dark brown to black skin'
  ),
  'audio/attached': none,
  'audio/url': url,
  'audiogram/data': {
    accepted: [
      { sensitivityPoints: [], start: 1, end: 2 },
      { sensitivityPoints: [{ frequency: 500, left: 10 }], start: 1, end: 2, metadata: { device: 'x' } }
    ],
    refused: [
      { sensitivityPoints: [], start: 1 },
      { sensitivityPoints: [], end: 1 },
      { start: 1, end: 2 },
      { sensitivityPoints: {}, start: 1, end: 2 },
      { sensitivityPoints: [500], start: 1, end: 2 },
      []
    ]
  },
  'blood-pressure/mmhg-bpm': {
    accepted: [
      { systolic: 120, diastolic: 80 },
      { systolic: 120, diastolic: 80.5, rate: 60 }
    ],
    refused: [{ systolic: 120 }, { diastolic: 80 }, { systolic: 120, diastolic: 80, rate: 'fast' }, 120, null]
  },
  'boolean/bool': { accepted: [true, false], refused: ['yes', 1, null, {}] },
  'call/name': text,
  'call/telephone': text,
  'clinical/fhir': {
    accepted: [
      { displayName: 'x', clinicalType: 'labResultRecord' },
      {
        displayName: 'x',
        clinicalType: 'medicationRecord',
        fhir: { identifier: 'x', resourceType: 'medicationOrder' }
      }
    ],
    refused: [
      { displayName: 'x' },
      { clinicalType: 'labResultRecord' },
      { displayName: 'x', clinicalType: 'x' },
      { displayName: 'x', clinicalType: 'labResultRecord', fhir: { identifier: 'x' } },
      { displayName: 'x', clinicalType: 'labResultRecord', fhir: { resourceType: 'procedure' } },
      { displayName: 'x', clinicalType: 'labResultRecord', fhir: { identifier: 'x', resourceType: 'x' } }
    ]
  },
  'contact/vcard': { accepted: ['BEGIN:VCARD\nVERSION:3.0\nFN:A\nEND:VCARD'], refused: [{}, 12, null] },
  'credentials/service-api-endpoint': {
    accepted: ['https://token@example.com/alice/', 'http://a@b', 'http://@@b', 'http://a@b@c'],
    refused: ['https://example.com/alice/', 'https://@b', 'http://a@', 'token@example.com', 12, null]
  },
  'encrypted/aes-256-gcm': encrypted,
  'encrypted/aes-text-base64': encrypted,
  'encrypted/ecies-aes-256-gcm': encrypted,
  'file/attached': none,
  'file/attached-multiple': none,
  'file/url': url,
  'message/email': {
    accepted: [
      { from: 'a', to: 'b', body: 'c' },
      {
        from: 'a',
        to: 'b',
        body: 'c',
        cc: 'd',
        bcc: 'e',
        subject: 'f',
        'message-id': 'g',
        'reply-to': 'h',
        'x-headers': { 'X-Mailer': 'i' }
      }
    ],
    refused: [
      { to: 'b', body: 'c' },
      { from: 'a', body: 'c' },
      { from: 'a', to: 'b' },
      { from: 'a', to: 'b', body: 'c', cc: 1 },
      { from: 'a', to: 'b', body: 'c', 'x-headers': 'X-Mailer: i' },
      'text'
    ]
  },
  'mood/rating': { accepted: [0, 0.5, 1], refused: [1.1, 'good', null, {}] },
  'mood/emoticon': text,
  'music/basic': {
    accepted: [{}, { title: 'a', artist: 'b', album: 'c', track: 1, year: 2000, genre: 'd' }],
    refused: [{ track: 1.5 }, { year: '2000' }, { title: 1 }, 'a', null]
  },
  'note/html': note,
  'note/txt': note,
  'note/webclip': {
    accepted: [{ url: 'https://example.com' }, { url: 'https://example.com', content: '<p>x</p>' }],
    refused: [
      { content: 'x' },
      { url: 'example.com' },
      { url: 'https://example.com', content: 1 },
      { url: 'https://example.com', content: 'x'.repeat(4_194_305) }
    ]
  },
  'numset/*': {
    accepted: [{}, { before: { 'mass/kg': 70, 'length/m': 1.7 }, after: { 'mass/kg': 69.5 } }],
    refused: [
      { before: 70 },
      { before: { 'mass/kg': 'heavy' } },
      { before: { heavy: 70 } },
      { before: null },
      [],
      'x'
    ]
  },
  'picture/base64': {
    accepted: [
      { payload: 'AAAA', format: 'png' },
      { payload: 'AAAA', format: 'svg+xml', filename: 'a.svg' },
      ...['gif', 'jpeg', 'tiff', 'vnd.microsoft.com'].map(format => ({ payload: 'AAAA', format })),
      'data:image/png;base64,iVBORw0KGgo=',
      'data:image/svg+xml;base64,AAAA',
      'data:image/jpeg;charset=utf-8;base64,/9j/4A==',
      'data:image/vnd.microsoft.icon;base64,'
    ],
    refused: [
      'AAAA',
      'data:text/html;base64,AAAA',
      'data:image/png,AAAA',
      'data:image/svg+xml;utf8,<svg/>',
      'data:image/png;base64,<svg/>',
      'data:image/png;base64,AAAA" onload="x',
      'https://example.com/a.png',
      '',
      12,
      ['data:image/png;base64,AAAA'],
      { payload: 'AAAA' },
      { format: 'png' },
      { payload: 'AAAA', format: 'exe' },
      { payload: 1, format: 'png' }
    ]
  },
  'picture/attached': none,
  'picture/url': url,
  'position/wgs84': {
    accepted: [
      { latitude: 46.5, longitude: 6.6 },
      {
        latitude: 1,
        longitude: 2,
        altitude: 3,
        horizontalAccuracy: 4,
        verticalAccuracy: -1,
        speed: 0,
        bearing: 9
      }
    ],
    refused: [
      { latitude: 46.5 },
      { longitude: 6.6 },
      { latitude: 46.5, longitude: 6.6, altitude: 'high' },
      [46.5, 6.6]
    ]
  },
  'ratio/generic': {
    accepted: [{ value: 1, relativeTo: 3 }],
    refused: [{ value: 1 }, { relativeTo: 3 }, 0.33]
  },
  'ratio/percent': { accepted: [33, 120.5, -1], refused: ['33 %', null, {}] },
  'reproductive-health/sexual-activity': oneOf('notSet, protectionUsed, protectionNotUsed'),
  'reproductive-health/menstrual-flow': oneOf('unspecified, none, light, medium, heavy'),
  'reproductive-health/mucus-quality': oneOf('dry, sticky, creamy, watery, eggWhite'),
  'reproductive-health/ovulation': oneOf('negative, luteinizingHormoneSurge, indeterminate, estrogenSurge'),
  'sleep/analysis': {
    accepted: ['inBed', 'asleep', 'awake'].map(analysis => ({ analysis })),
    refused: [{ analysis: 'dreaming' }, { analysis: 1 }, 'asleep', null]
  },
  'symptoms/severity': oneOf('notPresent, mild, moderate, severe, unspecified'),
  'symptoms/appetite-changes': oneOf('decreased, increased, noChange, unspecified'),
  'url/http': url,
  'video/attached': none,
  'video/url': url
}

export const numericalUnits: Readonly<Record<string, string>> = {
  'absorbed-dose-equivalent': 'sv',
  'absorbed-dose-rate': 'gy-s',
  angle: 'deg grad rad',
  'angular-acceleration': 'rad-s2',
  'angular-speed': 'rad-s',
  area: 'ac ft2 ha in2 km2 m2 mm2 yd2 mi2',
  'catalytic-activity': 'kat',
  count: 'steps generic',
  'data-quantity': 'b bits gb gbits kb kbits mb mbits tb',
  density: 'g-dl kg-m3 mmol-l mg-dl',
  'dynamic-viscosity': 'pa-s',
  'electric-charge-line-density': 'c-m',
  'electrical-conductivity': 's us',
  'electromotive-force': 'v',
  energy: 'btu cal ev erg ftlb j kcal ws kwh nm wh',
  force: 'dyn n pdl',
  frequency: 'bpm brpm ghz hz khz megahz millihz nhz rpm thz uhz',
  'gas-consumption': 'mlpkgmin',
  length: 'cm m mm km a au ch lea ft in ly mil mi fur nmi p pica ftm cb um yd',
  'linear-acceleration': 'm-s2',
  'luminous-intensity': 'cd',
  mass: 'kg g mg gr dr l-t lb t oz s-t st',
  mol: 'mol lb-mol',
  power: 'btu-min ftlb-s hp kw w',
  pressure: 'at bar mmhg cmhg inhg kg-m2 pa kpa psf psi db',
  speed: 'ft-m ft-s km-h kt m-min m-s mph lpm',
  temperature: 'c k f',
  time: 'd h min ms s y',
  volume: 'l m3 c cm3 floz ft3 galgb galus in3 yd3 ml pt qt bbloil tbs tsp iu',
  money:
    'aed ang ars aud bgn bhd bnd bob brl bwp cad chf clp cny cop crc czk dkk dop dzd eek egp eur fjd gbp ' +
    'hkd hnl hrk huf idr ils inr jmd jod jpy kes krw kwd kyd kzt lbp lkr ltl lvl mad mdl mkd mur mxn myr ' +
    'nad ngn nio nok npr nzd omr pen pgk php pkr pln pyg qar ron rsd rub sar scr sek sgd skk sll svc thb ' +
    'tnd try ttd twd tzs uah ugx usd uyu uzs vnd yer zar zmk btc all afn awg azn bsd bbd byr bzd bmd bam ' +
    'khr cup xcd fkp ghc gip gtq ggp gyd isk irr imp jep kpw kgs lak lrd mnt mzn pab shp sbd sos srd syp ' +
    'trl tvd vef zwd'
}
