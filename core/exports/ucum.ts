/** Units of numbers as UCUM writes them. (https://ucum.org) */

/** Codes by class, with the formats of the types; what UCUM has no code for is missing. */
const unitsByClass: Readonly<Record<string, string>> = {
  'absorbed-dose-equivalent': 'sv=Sv',
  'absorbed-dose-rate': 'gy-s=Gy/s',
  angle: 'deg=deg grad=gon rad=rad',
  'angular-acceleration': 'rad-s2=rad/s2',
  'angular-speed': 'rad-s=rad/s',
  area: 'ft2=[sft_i] ha=har in2=[sin_i] km2=km2 m2=m2 mm2=mm2 yd2=[syd_i]',
  'catalytic-activity': 'kat=kat',
  count: 'steps={steps} generic=1',
  'data-quantity': 'b=By bits=bit gb=GBy gbits=Gbit kb=kBy kbits=kbit mb=MBy mbits=Mbit tb=TBy',
  density: 'g-dl=g/dL kg-m3=kg/m3 mmol-l=mmol/L mg-dl=mg/dL',
  'dynamic-viscosity': 'pa-s=Pa.s',
  'electric-charge-line-density': 'c-m=C/m',
  'electrical-conductivity': 's=S us=uS',
  'electromotive-force': 'v=V',
  energy: 'btu=[Btu] cal=cal ev=eV erg=erg j=J kcal=kcal ws=W.s kws=kW.s kwh=kW.h nm=N.m wh=W.h',
  force: 'dyn=dyn n=N',
  frequency:
    'bpm=/min brpm=/min ghz=GHz hz=Hz khz=kHz megahz=MHz millihz=mHz nhz=nHz rpm=/min thz=THz uhz=uHz',
  'gas-consumption': 'mlpkgmin=mL/kg/min',
  length:
    'cm=cm m=m mm=mm km=km a=Ao au=AU ft=[ft_i] in=[in_i] ly=[ly] mil=[mil_i] mi=[mi_i] nmi=[nmi_i] ftm=[fth_i] um=um yd=[yd_i]',
  'linear-acceleration': 'm-s2=m/s2',
  'luminous-intensity': 'cd=cd',
  mass: 'kg=kg g=g mg=mg gr=[gr] dr=[dr_av] l-t=[lton_av] lb=[lb_av] t=t oz=[oz_av] s-t=[ston_av] st=[stone_av]',
  mol: 'mol=mol',
  power: 'btu-min=[Btu]/min hp=[HP] kw=kW w=W',
  pressure: "at=att bar=bar mmhg=mm[Hg] cmhg=cm[Hg] inhg=[in_i'Hg] kg-m2=kg/m2 pa=Pa kpa=kPa psi=[psi] db=dB",
  ratio: 'percent=%',
  speed: 'ft-m=[ft_i]/min ft-s=[ft_i]/s km-h=km/h kt=[kn_i] m-min=m/min m-s=m/s mph=[mi_i]/h lpm=L/min',
  temperature: 'c=Cel k=K f=[degF]',
  time: 'd=d h=h min=min ms=ms s=s y=a',
  volume:
    'l=L m3=m3 c=[cup_us] cm3=cm3 floz=[foz_us] ft3=[cft_i] galgb=[gal_br] galus=[gal_us] in3=[cin_i] yd3=[cyd_i] ml=mL pt=[pt_us] qt=[qt_us] bbloil=[bbl_us] tbs=[tbs_us] tsp=[tsp_us] iu=[iU]'
}

const unitsByType: ReadonlyMap<string, string> = new Map(
  Object.entries(unitsByClass).flatMap(([kind, list]) =>
    list.split(' ').map((each): [string, string] => {
      const equals = each.indexOf('=')
      return [`${kind}/${each.slice(0, equals)}`, each.slice(equals + 1)]
    })
  )
)

/** Codes of fields, for contents that are objects. */
const unitsByField: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  'blood-pressure/mmhg-bpm': new Map([
    ['systolic', 'mm[Hg]'],
    ['diastolic', 'mm[Hg]'],
    ['rate', '/min']
  ]),
  'position/wgs84': new Map([
    ['latitude', 'deg'],
    ['longitude', 'deg'],
    ['altitude', 'm'],
    ['horizontalAccuracy', 'm'],
    ['verticalAccuracy', 'm'],
    ['speed', 'm/s'],
    ['bearing', 'deg']
  ])
}

/** The unit of a numerical type, or of a field of another; empty if it has none, or none that UCUM knows. */
export function getUcumUnit(type: string, field = 'value'): string {
  if (Object.hasOwn(unitsByField, type)) return unitsByField[type]!.get(field) ?? ''
  return field === 'value' ? (unitsByType.get(type) ?? '') : ''
}
