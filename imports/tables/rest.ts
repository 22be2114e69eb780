/** What the name of a column says besides what it measures. */
import { parts, type Rule } from './rules.js'

/** Words that make no other measure of one, without accents. */
const neutral = new Set(
  (
    'body blood my the a an of in at and by for value values reading readings result level measurement measured measure ' +
    'count number total rate frequency sensor historic scan strip cgm current actual entry daily day taken walked burned burnt ' +
    'arterial capillary peripheral record data sat saturation lvl ' +
    'der die das des mein korper aktuell aktuelles gemessen gemessene gemessener gemessenes wert werte verlauf messung blut anzahl ' +
    'taglich tagliche verbraucht frequenz sattigung gesamt ' +
    'de du la le les l d mon en et nombre valeur valeurs mesure historique numerisation corporel corporelle corps sanguin sanguine ' +
    'sang taux frequence cardiaque arterielle tension total totale ' +
    'corporal corporeo corporea lichaam kropp el il un una heart ossigeno oxigeno saturazione saturacion'
  ).split(' ')
)
/** What words of measures begin and end with in their languages. */
const fragments =
  /^(?:\p{L}{0,3}|ility|ilitat|ilite|isch\p{L}{0,2}|iques?|e?werte?|n?sattigung|messung|spiegel|verbrauch|umsatz|korper|lichaams|kropps|blut|blod|herz)$/u

/**
 * Returns the words of a name (small, without accents and its unit) that tell neither what a rule measures, nor whether it is a minimum,
 * maximum or average: `Walking heart rate` is another measure than a heart rate.
 */
export function otherWords(name: string, { and, name: pattern }: Rule): string[] {
  // What a rule tells, and parts, become points; what is left of a word has to be an ending, or say nothing else.
  const told = [...parts.map(([part]) => part), pattern, ...(and ? [and] : [])].reduce(
    (text, each) => text.replaceAll(new RegExp(each.source, 'gu'), found => '.'.repeat(found.length)),
    name
  )
  return [...told.matchAll(/[\p{L}\p{M}\d.]+/gu)]
    .filter(([word]) => {
      const isPart = word.includes('.')
      return word
        .split('.')
        .some(left => left !== '' && !neutral.has(left) && !(isPart && fragments.test(left)))
    })
    .map(([word]) => word)
}
