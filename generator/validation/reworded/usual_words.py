"""Words that name nothing, so that every rewording may use them."""

_WORDS = """
able about actually added again ahead already also always anything appears appreciate around arrange ask asked
available away back because before begin below best better bit booked both bring brings call came cancelled care catch
chance change check cheers clear come comes coming completed confirm confirmed costs could couple created currently
day days dear detail details did different directly does doing done down during each easy either else ended enough
especially even ever every everything exactly expect expected fine first following found free friend from full further
gave getting give given glad going gone good got grab great guys had hand happen happens happy hear heard hello help
helps here's hers high hold hope how however idea included including info information instead into itself just keep
kept kind kindly know last later latest least leave left less let's letting like list listed little long look looking
looks lot love lovely low made make makes making many marked may maybe mean might mind mine more most moved much must
nearby necessary need needed needs next nice note now number off offers often okay once only open options or order
ordered other otherwise ours over own perfect perhaps place plan planning please plus possible prefer probably provide
pull put quick quickly quite rather ready really regarding related remain removed reports request requested reserved
result results returned right run running said same saved saw say says scheduled see seems seen send sent separate set
should show shown shows simply since some someone something soon sort sorted sounds specifically stands start started
still successful successfully such suggest sure switched take taken taking tell than that's themselves these they
thing things think those though through time together told too took total touch tried true try trying turn under
update updated use used using usual usually very via wait want wanted wants was way we'd we'll well went were when
where whether which while who whole whose why wish within wondering word work working works worries would wouldn't

trouble bother problem rush hurry favour favor moment minute second possible asap cheers pushed push bump bumped fetch pop jot log logged matching similar sharing worth notify exist exists valid elsewhere begins named
name another lives living lived handle handled compare compared drop dropped jotted entry entries hoping grateful thank quickly
briefly overview summary rundown total altogether nights folks folk person people customer customers item items thing stuff
additionally moreover furthermore following afterwards alongside within across toward towards besides earlier later recent recently
upcoming current whenever wherever anyway alright okay absolutely certainly gladly happily successfully simply quick running
reminder reminders alert alerts message messages email emails mail file files folder folders list lists group groups
write yes yet you'd you'll you're yours yourself
"""

USUAL = frozenset(_WORDS.split())
