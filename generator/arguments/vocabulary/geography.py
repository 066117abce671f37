"""Which city lies in which country, and how countries are written."""

_CITIES = """
AE: Dubai
AR: Buenos Aires, Córdoba, Mendoza, Rosario
AT: Vienna
AU: Adelaide, Brisbane, Melbourne, Perth, Sydney
BA: Sarajevo
BE: Brussels, Ghent
BG: Sofia
BR: Belo Horizonte, Brasília, Curitiba, Fortaleza, Manaus, Porto Alegre, Recife, Rio de Janeiro, Salvador, São Paulo
CA: Montreal, Ottawa, Toronto, Vancouver
CH: Geneva, Zurich
CL: Concepción, Santiago, Valparaíso
CO: Bogotá, Cali, Cartagena, Medellín
CZ: Prague
DE: Berlin, Hamburg, Munich
DK: Copenhagen
EC: Quito
EE: Tallinn
EG: Alexandria, Cairo, Giza, Luxor
ES: Barcelona, Madrid, Seville, Valencia
FI: Helsinki
FR: Bordeaux, Lyon, Marseille, Nice, Paris, Toulouse
GB: Bristol, Edinburgh, Glasgow, Leeds, Liverpool, London, Manchester
GE: Tbilisi
GR: Athens
HK: Hong Kong
HR: Zagreb
HU: Budapest
ID: Jakarta
IE: Cork, Dublin
IN: Ahmedabad, Bengaluru, Chennai, Hyderabad, Jaipur, Kolkata, Mumbai, New Delhi, Pune
IS: Reykjavik
IT: Bologna, Florence, Milan, Naples, Rome, Turin, Venice
JP: Kyoto, Osaka, Tokyo
KE: Nairobi
KR: Seoul
LT: Vilnius
LV: Riga
MA: Casablanca, Marrakesh
MX: Guadalajara, Mexico City, Monterrey, Oaxaca, Puebla, Tijuana
NL: Amsterdam, Rotterdam, Utrecht
NO: Bergen, Oslo
NZ: Auckland, Wellington
PE: Lima
PL: Gdańsk, Kraków, Poznań, Warsaw, Wrocław
PT: Braga, Coimbra, Faro, Lisbon, Porto
SE: Gothenburg, Stockholm
SG: Singapore
SI: Ljubljana
TH: Bangkok
TR: Ankara, Istanbul, Izmir
TW: Taipei
US: Atlanta, Austin, Boston, Chicago, Dallas, Denver, Los Angeles, Miami, Nashville, New Orleans, New York, Philadelphia, Phoenix, Portland, San Diego, San Francisco, Seattle
VN: Hanoi
ZA: Cape Town, Durban, Johannesburg, Pretoria
"""
_COUNTRIES = """
AE ARE United Arab Emirates
AR ARG Argentina
AT AUT Austria
AU AUS Australia
BA BIH Bosnia and Herzegovina
BE BEL Belgium
BG BGR Bulgaria
BR BRA Brazil
CA CAN Canada
CH CHE Switzerland
CL CHL Chile
CO COL Colombia
CZ CZE Czechia
DE DEU Germany
DK DNK Denmark
EC ECU Ecuador
EE EST Estonia
EG EGY Egypt
ES ESP Spain
FI FIN Finland
FR FRA France
GB GBR United Kingdom
GE GEO Georgia
GR GRC Greece
HK HKG Hong Kong
HR HRV Croatia
HU HUN Hungary
ID IDN Indonesia
IE IRL Ireland
IN IND India
IS ISL Iceland
IT ITA Italy
JP JPN Japan
KE KEN Kenya
KR KOR South Korea
LT LTU Lithuania
LV LVA Latvia
MA MAR Morocco
MX MEX Mexico
NL NLD Netherlands
NO NOR Norway
NZ NZL New Zealand
PE PER Peru
PL POL Poland
PT PRT Portugal
SE SWE Sweden
SG SGP Singapore
SI SVN Slovenia
TH THA Thailand
TR TUR Turkey
TW TWN Taiwan
US USA United States
VN VNM Vietnam
ZA ZAF South Africa
"""

CITIES_IN: dict[str, tuple[str, ...]] = {
    line[:2]: tuple(line[4:].split(", ")) for line in _CITIES.strip().splitlines()
}
"""Country code (ISO 3166-1 alpha-2) → cities."""

COUNTRY_OF: dict[str, str] = {city: code for code, cities in CITIES_IN.items() for city in cities}
"""City → country code."""

SPELLINGS: dict[str, tuple[str, str, str]] = {
    line[:2]: (line[:2], line[3:6], line[7:]) for line in _COUNTRIES.strip().splitlines()
}
"""Country code → its two letters, its three letters, its name."""

CODE_OF: dict[str, str] = {spelling: code for code, spellings in SPELLINGS.items() for spelling in spellings}
"""Any spelling of a country → its code."""
