/** The directory of event types, in the file shape that clients know. (docs/spec/event-types.md#the-directory) */
import { complexTypes } from './complex.js'

/** A JSON Schema. */
export type ContentSchema = Readonly<Record<string, unknown>>

export interface EventTypeDirectory {
  readonly version: string
  /** Schemas of contents by `class/format`; the format `*` stands for all other formats of its class. */
  readonly types: Readonly<Record<string, ContentSchema>>
  /** What clients display with contents, by class: names, symbols. */
  readonly extras: Readonly<Record<string, unknown>>
}

/** Units by class; `class/unit` is the type. */
const units: Readonly<Record<string, string>> = {
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
    'aed ang ars aud bgn bhd bnd bob brl bwp cad chf clp cny cop crc czk dkk dop dzd eek egp eur fjd gbp hkd hnl hrk ' +
    'huf idr ils inr jmd jod jpy kes krw kwd kyd kzt lbp lkr ltl lvl mad mdl mkd mur mxn myr nad ngn nio nok npr nzd ' +
    'omr pen pgk php pkr pln pyg qar ron rsd rub sar scr sek sgd skk sll svc thb tnd try ttd twd tzs uah ugx usd uyu ' +
    'uzs vnd yer zar zmk btc all afn awg azn bsd bbd byr bzd bmd bam khr cup xcd fkp ghc gip gtq ggp gyd isk irr imp ' +
    'jep kpw kgs lak lrd mnt mzn pab shp sbd sos srd syp trl tvd vef zwd'
}

/** All types whose content is a number: `mass/kg`. */
export const numericalTypes: readonly string[] = Object.entries(units).flatMap(([name, list]) =>
  list.split(' ').map(unit => `${name}/${unit}`)
)

/** The standard types. */
export const standardTypes: EventTypeDirectory = {
  version: '0.3.0',
  types: {
    ...(complexTypes as unknown as Record<string, ContentSchema>),
    ...Object.fromEntries(numericalTypes.map(type => [type, { type: 'number' }]))
  },
  extras: {}
}
