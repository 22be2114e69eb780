/** Measures of money. Amounts of different currencies are never converted nor added. */
import { createRow, inCategory, type NameList, type Row } from '../rows/create-row.js'

/** Currencies in use, the most common first. */
const currencies = (
  'eur usd gbp chf jpy cad aud nzd sek nok dkk isk pln czk huf ron bgn rsd mkd all bam mdl uah rub try ils aed sar qar kwd bhd ' +
  'omr jod lbp egp mad dzd tnd zar ngn kes tzs ugx bwp mur inr pkr lkr npr bnd cny hkd twd krw sgd thb idr myr php vnd khr ' +
  'kzt uzs azn brl mxn ars clp cop pen uyu bob pyg crc dop jmd ttd btc'
)
  .split(' ')
  .map(code => `money/${code}`)

const unit = {
  shown: 'money/eur',
  byRegion: {
    US: 'money/usd',
    GB: 'money/gbp',
    CH: 'money/chf',
    LI: 'money/chf',
    CA: 'money/cad',
    AU: 'money/aud',
    NZ: 'money/nzd',
    JP: 'money/jpy',
    SE: 'money/sek',
    NO: 'money/nok',
    DK: 'money/dkk',
    PL: 'money/pln',
    CZ: 'money/czk',
    IN: 'money/inr',
    CN: 'money/cny',
    BR: 'money/brl',
    MX: 'money/mxn'
  },
  offered: currencies
}

/** Builds amounts that add up. */
function createAmount(id: string, names: NameList, icon: string, hue: number): Row {
  return createRow(id, names, icon, hue, 'sum', currencies, { unit })
}

/** Builds the state of an account. */
function createBalance(id: string, names: NameList, icon: string, hue: number): Row {
  return createRow(id, names, icon, hue, 'level', currencies, { unit })
}

export const money = inCategory('money', [
  createAmount('spending', ['Spending', 'Ausgaben', 'Dépenses'], 'wallet', 0),
  createAmount('income', ['Income', 'Einkommen', 'Revenus'], 'banknote', 140),
  createAmount('groceries', ['Groceries', 'Lebensmittel', 'Courses alimentaires'], 'shopping-basket', 95),
  createAmount('eating-out', ['Eating out', 'Essen außer Haus', 'Restaurants'], 'utensils', 20),
  createAmount('housing-costs', ['Housing', 'Wohnen', 'Logement'], 'house', 210),
  createAmount('transport-costs', ['Transport', 'Verkehr', 'Transports'], 'bus', 195),
  createAmount(
    'health-costs',
    ['Health expenses', 'Gesundheitsausgaben', 'Dépenses de santé'],
    'heart-pulse',
    345
  ),
  createAmount('leisure-costs', ['Leisure', 'Freizeit', 'Loisirs'], 'ticket', 315),
  createBalance('account-balance', ['Account balance', 'Kontostand', 'Solde du compte'], 'landmark', 160),
  createBalance('savings', ['Savings', 'Ersparnisse', 'Épargne'], 'piggy-bank', 120)
])
