"""Which kind of value a parameter's name or description asks for: whole words, never parts of words."""

import re
import unicodedata
from functools import cache

_SPLIT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TEXTS = """
city: city, town, destination, origin, location, departure city, arrival city, hometown, birthplace, from city, to city, locality
country: country, nationality, nation
country_code: country code, country iso
state: state, province, region
state_code: state code
airport_code: airport, airport code, iata, iata code, departure airport, arrival airport, origin airport, destination airport
currency_code: currency, currency code, base currency, target currency, from currency, to currency
language: language, source language, target language, from language, to language
language_code: language code, lang, lang code
locale: locale
timezone: timezone, time zone, tz
person_name: person, person name, full name, customer name, customer, guest, guest name, contact, contact name, recipient, recipient name, passenger, passenger name, patient, patient name, employee, employee name, author, owner, assignee, attendee, participant, organizer, sender, user name full, driver, host, doctor, manager, member, friend, name of person, traveler, traveller, student, candidate, cardholder, beneficiary, payee, invitee, signer, reviewer, player, coach, teacher, contact person, display name
first_name: first name, given name, forename
last_name: last name, surname, family name
username: username, user, user name, login, handle, nickname, screen name
email: email, mail, e mail, email address, mail address, cc, bcc, sender email, recipient email
phone: phone, phone number, telephone, mobile, cell, telephone number, mobile number, contact number, fax
street_address: street, street address, address line, address line 1, line 1, street name, address 1
address: address, pickup address, delivery address, shipping address, billing address, dropoff address, pickup location, dropoff location, home address
postal_code: postal code, zip, zip code, postcode, zipcode
company: company, company name, employer, organization, organisation, vendor, supplier, merchant, business, business name, client, manufacturer, provider, carrier, shop, store
job_title: job title, job, occupation, profession, position, role title
url: url, link, website, webpage, web page, uri, homepage, page url, image url, callback, webhook, endpoint
domain: domain, hostname, host name, server, host address
ipv4: ip, ip address, ipv4, ipv4 address
ipv6: ipv6, ipv6 address
mac: mac, mac address
uuid: uuid, guid
file_path: file path, path, filepath, source path, destination path, target path
file_name: file, file name, filename, attachment, document, document name, output file, input file
folder_path: folder path, directory, dir, directory path, working directory
folder_name: folder, folder name
color: color, colour
hex_color: hex color, color hex, colour hex, color code
sku: sku, product code, item code, part number, article number
order_number: order number, order id
invoice_number: invoice number, invoice id
tracking_number: tracking number, tracking code, tracking id
flight_number: flight number, flight
booking_reference: booking reference, confirmation code, booking code, confirmation number, reservation code, pnr, record locator, reference
ticket_number: ticket number, ticket id, case number
account_number: account number, account, account id
license_plate: license plate, licence plate, plate, plate number, registration number
iban: iban
isbn: isbn
version: version
product_name: product, product name, item, item name, article, gift
category: category, product category
brand: brand, make brand
restaurant_name: restaurant, restaurant name, venue
hotel_name: hotel, hotel name
airline: airline, airline name
stock_symbol: stock, stock symbol, symbol, ticker, ticker symbol
genre: genre, music genre
film_genre: film genre, movie genre
cuisine: cuisine, cuisine type, food type
dish: dish, recipe, meal, recipe name, dish name, food
ingredient: ingredient
allergen: allergen, allergy, intolerance
weekday: weekday, day of week, day of the week
month: month, month name
unit: unit, measurement unit
room: room, room name, zone, area name
device: device, device name, appliance
place: place, landmark, point of interest, poi, start location, end location, meeting point, stop, station
department: department, division
team: team, team name, squad
skill: skill, competence
tag: tag, label, keyword, hashtag
status: status
song: song, track, song title, track name, song name, track title
artist: artist, artist name, band, singer, musician, composer
album: album, album title, album name
book_title: book, book title, book name
film_title: film, movie, film title, movie title, movie name, show, series
sport: sport, activity, exercise, workout
event_name: event, event name, meeting, appointment, occasion, event title, meeting title
topic: topic, subject area, theme, interest
symptom: symptom, complaint symptom, condition
medicine: medicine, medication, drug, drug name, medication name
specialty: specialty, speciality, specialisation
car_make: car make, make, vehicle make, car brand
message: message, body, message body, text message, email body, reply, sms, content, caption, greeting, chat message
note: note, comment, remark, memo, instruction, special request, request, special instruction, annotation, feedback note
title: title, task, todo, task title, task name, headline, heading, goal, reminder, agenda, summary title
subject: subject, email subject, subject line
query: query, search, search term, search query, search text, term, q, phrase, keywords query
review: review, review text, feedback, testimonial
problem: problem, issue, complaint, defect, error description, problem description, issue description
reason: reason, cancellation reason, return reason, cause, purpose, justification
sentence: sentence, description, text, summary, paragraph, bio, about, detail, transcript
date: date, day, deadline, due, due date, start date, end date, departure date, return date, check in, check out, checkin, checkout, arrival date, from date, to date, date from, date to, check in date, check out date, expiry, expiration date, valid until, delivery date
birth_date: birth date, date of birth, dob, birthday, birthdate
past_date: since, purchase date, order date, issue date, date of purchase, incident date, purchased, date ordered, hire date
time: time, start time, end time, pickup time, departure time, arrival time, time of day, opening time, closing time, hour minute, alarm time, wake time, at time
date_time: datetime, date time, timestamp, scheduled at, start datetime, end datetime, remind at, starts at, ends at, created at, updated at
year_month: billing month, year month
duration: iso duration
hash: hash, checksum, commit, commit hash, digest, token, sha
coordinates: coordinates, lat lng, lat long, latlng
proper_name: group, group name, playlist, playlist name, list name, team label, project, project name, album collection, collection, board, workspace
word: word, code word, slug, branch, password hint
identifier: id, identifier, code, key, ref
"""
_NUMBERS = """
quantity: quantity, qty, count, copies, number of items, units, pieces, servings, items, portions, amount of items
people: people, guests, passengers, adults, children, travelers, travellers, party size, persons, attendees, participants, number of guests, number of people, group size, seats, tickets, players, headcount, number of passengers, occupants, infants, diners
nights: nights, number of nights
grams: grams, g, weight grams, portion grams
megabytes: size mb, mb, max size mb, file size
day_count: days, number of days, duration days, days ahead, forecast days, lead days, retention days, within days
hour_count: hours, number of hours, duration hours, hour count
week_count: weeks, number of weeks, duration weeks
month_count: months, number of months, term months, duration months
year_count: years, number of years, term years, loan term, term, duration years, experience
duration_minutes: minutes, duration minutes, duration, length minutes, duration in minutes, minutes before, prep time, cooking time, snooze, lead time, reminder minutes, timeout minutes, interval
duration_seconds: seconds, duration seconds, timeout, delay, duration in seconds, timeout seconds, transition
limit: limit, max results, results, top, top n, page size, per page, max items, number of results, n, k, maximum, size limit, first, max count
page: page, page number
offset: offset, skip, start index
age: age, user age, current age
port: port
year: year, model year, tax year, release year, year from, year to, min year, max year
birth_year: birth year, year of birth
percentage: percentage, percent, discount percent, discount, tip percent, tip percentage, progress, humidity, battery, position, volume, opacity, fill level
fraction: fraction, ratio, probability, threshold, confidence, similarity
rating: rating, stars, star rating, min rating, minimum rating, hotel stars
score: score, points
priority: priority, level, rank, severity
temperature: temperature, temp, target temperature, setpoint, degrees
brightness: brightness, intensity, dim level, speed
floor: floor, storey, level number
amount: amount, price, cost, total, budget, max price, min price, fee, payment, bill, bill amount, unit price, sum, tip, refund, spend, value, price limit, charge, transfer amount, donation, money, fare, deposit
large_amount: loan, loan amount, mortgage, principal, house price, property value, investment, revenue, capital
salary: salary, income, annual salary, annual income, wage, gross salary
interest_rate: interest rate, rate, annual rate, apr
weight: weight, package weight, weight kg, mass
body_weight: body weight
body_height: height, height cm, body height
distance: distance, radius, km, kilometers, miles, distance km, radius km, range, mileage
length: length, width, depth
area: area, square meters, surface, size
calories: calories, kcal, max calories, calorie limit
latitude: latitude, lat
longitude: longitude, lon, lng, long
month_number: month, month number
day_of_month: day, day of month
hour: hour, start hour, end hour
minute: minute
numeric_id: id, number, user id, item id
number_of_rooms: rooms, bedrooms, bathrooms, number of rooms, beds, doors
"""
_FORMS = (
    ("iata", "airport_code"),
    ("iso 4217", "currency_code"),
    ("alpha-3", "country_code_3"),
    ("iso 3166", "country_code"),
    ("iso 639", "language_code"),
    ("iana", "timezone"),
    ("e.164", "phone_e164"),
    ("yyyy-mm-ddthh:mm:ssz", "date_time"),
    ("yyyy-mm-ddthh:mm:ss", "local_date_time_seconds"),
    ("yyyy-mm-ddthh:mm", "local_date_time"),
    ("yyyy-mm-dd hh:mm", "spaced_date_time"),
    ("yyyy-mm-dd", "date"),
    ("hh:mm:ss", "time_seconds"),
    ("hh:mm", "time"),
    ("yyyy-mm", "year_month"),
    ("rfc 3339", "date_time"),
)
"""Words of a description that fix how a value is written, whatever its name."""
_HINTS = (
    ("airport code", "airport_code"),
    ("currency code", "currency_code"),
    ("country code", "country_code"),
    ("language code", "language_code"),
    ("iso 8601 date and time", "local_date_time"),
    ("iso 8601 datetime", "local_date_time"),
    ("iso 8601 timestamp", "date_time"),
    ("iso 8601", "date"),
    ("time zone", "timezone"),
    ("24-hour", "time"),
    ("hex color", "hex_color"),
    ("ticker", "stock_symbol"),
    ("email address", "email"),
    ("phone number", "phone"),
    ("city", "city"),
    ("country", "country"),
)
_NUMBER_HINTS = (
    ("minutes", "duration_minutes"),
    ("seconds", "duration_seconds"),
    ("hours", "hour_count"),
    ("percent", "percentage"),
    ("percentage", "percentage"),
    ("price", "amount"),
    ("amount of money", "amount"),
)
_NEUTRAL = frozenset({
    "name", "names", "value", "string", "text", "field", "input", "in", "for", "at", "by", "of", "the", "a", "an",
    "to", "from", "filter", "list", "new", "old", "current", "preferred", "default", "primary", "secondary", "main",
    "other", "one", "two", "1", "2", "3", "first", "second", "iso", "format",
})  # fmt: skip
_MOST_WORDS = 4


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, small: `checkInDate`, `check_in_date` and `check-in date` have the same three."""
    return tuple(word.lower() for word in _SPLIT.findall(name))


def plain_letters(name: str) -> str:
    """A name as it stands in an address: small ASCII letters."""
    letters = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ø", "o").replace("Ø", "O"))
    return "".join(letter for letter in letters.lower() if letter.isascii() and letter.isalpha())


def kind_of_name(name: str, parents: tuple[str, ...], is_number: bool) -> str | None:
    """The kind that a name asks for, looked at with the names around it when alone it says too little."""
    table = _table(is_number)
    own = words_of(name)
    for parent in parents:
        found = _lookup((*_singular(words_of(parent))[-1:], *own), table, len(own) + 1)
        if found is not None:
            return found
    found = _lookup(own, table, 1)
    return "proper_name" if found is None and own[-1:] == ("name",) and not is_number else found


def form_of_description(description: str) -> str | None:
    """The kind whose writing a description prescribes ("ISO 4217", "YYYY-MM-DD")."""
    return _first_hint(description, _FORMS)


def kind_of_description(description: str, is_number: bool) -> str | None:
    """The kind that a description speaks of, for when the name says nothing."""
    return _first_hint(description, _NUMBER_HINTS if is_number else _HINTS)


def _first_hint(description: str, hints: tuple[tuple[str, str], ...]) -> str | None:
    small = description.lower()
    return next((kind for hint, kind in hints if re.search(rf"(?<!\w){re.escape(hint)}(?!\w)", small)), None)


def _lookup(words: tuple[str, ...], table: dict[tuple[str, ...], str], shortest: int) -> str | None:
    """The kind of the longest known run of words that the name ends with, but for words that say nothing."""
    end = len(words)
    while end:
        for start in range(max(0, end - _MOST_WORDS), end - shortest + 1):
            for form in (words[start:end], _singular(words[start:end])):
                if form in table:
                    return table[form]
        if words[end - 1] not in _NEUTRAL:
            return None
        end -= 1
    return None


def _singular(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words:
        return words
    last = words[-1]
    if last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith(("sses", "ches", "shes", "xes")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")):
        last = last[:-1]
    return (*words[:-1], last)


@cache
def _table(is_number: bool) -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for line in (_NUMBERS if is_number else _TEXTS).strip().splitlines():
        kind, _, phrases = line.partition(": ")
        for phrase in phrases.split(", "):
            found.setdefault(tuple(phrase.split()), kind)
    return found
