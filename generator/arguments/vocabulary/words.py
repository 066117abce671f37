"""The words of everyday life that values are made of: plain tuples, nothing looked up, nothing random."""

CITIES = (
    "Amsterdam", "Athens", "Atlanta", "Auckland", "Austin", "Bangkok", "Barcelona", "Bergen", "Berlin", "Bogotá",
    "Bologna", "Bordeaux", "Boston", "Bristol", "Brussels", "Budapest", "Buenos Aires", "Cairo", "Cape Town",
    "Casablanca", "Chicago", "Copenhagen", "Cork", "Dallas", "Denver", "Dubai", "Dublin", "Edinburgh", "Florence",
    "Geneva", "Ghent", "Glasgow", "Gothenburg", "Hamburg", "Hanoi", "Helsinki", "Hong Kong", "Istanbul", "Jakarta",
    "Kraków", "Kyoto", "Leeds", "Lima", "Lisbon", "Liverpool", "Ljubljana", "London", "Los Angeles", "Lyon",
    "Madrid", "Manchester", "Marrakesh", "Marseille", "Melbourne", "Mexico City", "Miami", "Milan", "Montreal",
    "Mumbai", "Munich", "Nairobi", "Naples", "Nashville", "New Orleans", "New York", "Nice", "Osaka", "Oslo",
    "Ottawa", "Paris", "Philadelphia", "Phoenix", "Porto", "Portland", "Prague", "Quito", "Reykjavik", "Riga",
    "Rome", "Rotterdam", "San Diego", "San Francisco", "Santiago", "São Paulo", "Sarajevo", "Seattle", "Seoul",
    "Seville", "Singapore", "Sofia", "Stockholm", "Sydney", "Taipei", "Tallinn", "Tbilisi", "Tokyo", "Toronto",
    "Toulouse", "Turin", "Utrecht", "Valencia", "Vancouver", "Venice", "Vienna", "Vilnius", "Warsaw", "Wellington",
    "Zagreb", "Zurich",
)  # fmt: skip
COUNTRIES = (
    "Argentina", "Australia", "Austria", "Belgium", "Brazil", "Bulgaria", "Canada", "Chile", "China", "Colombia",
    "Costa Rica", "Croatia", "Czechia", "Denmark", "Ecuador", "Egypt", "Estonia", "Finland", "France", "Georgia",
    "Germany", "Ghana", "Greece", "Hungary", "Iceland", "India", "Indonesia", "Ireland", "Italy", "Japan", "Jordan",
    "Kenya", "Latvia", "Lithuania", "Luxembourg", "Malaysia", "Malta", "Mexico", "Morocco", "Nepal", "Netherlands",
    "New Zealand", "Norway", "Peru", "Philippines", "Poland", "Portugal", "Romania", "Serbia", "Singapore",
    "Slovakia", "Slovenia", "South Africa", "South Korea", "Spain", "Sri Lanka", "Sweden", "Switzerland", "Thailand",
    "Turkey", "Ukraine", "United Kingdom", "United States", "Uruguay", "Vietnam",
)  # fmt: skip
COUNTRY_CODES = (
    "AR", "AT", "AU", "BE", "BG", "BR", "CA", "CH", "CL", "CO", "CR", "CZ", "DE", "DK", "EE", "EG", "ES", "FI", "FR",
    "GB", "GE", "GR", "HR", "HU", "ID", "IE", "IN", "IS", "IT", "JP", "KE", "KR", "LT", "LU", "LV", "MA", "MT", "MX",
    "MY", "NL", "NO", "NZ", "PE", "PH", "PL", "PT", "RO", "RS", "SE", "SG", "SI", "SK", "TH", "TR", "UA", "US", "UY",
    "VN", "ZA",
)  # fmt: skip
COUNTRY_CODES_3 = (
    "ARG", "AUS", "AUT", "BEL", "BRA", "CAN", "CHE", "CHL", "COL", "CZE", "DEU", "DNK", "EGY", "ESP", "EST", "FIN",
    "FRA", "GBR", "GRC", "HRV", "HUN", "IDN", "IND", "IRL", "ISL", "ITA", "JPN", "KEN", "KOR", "LTU", "LVA", "MAR",
    "MEX", "NLD", "NOR", "NZL", "PER", "POL", "PRT", "ROU", "SRB", "SVK", "SVN", "SWE", "THA", "TUR", "USA", "VNM",
    "ZAF",
)  # fmt: skip
STATES = (
    "Alabama", "Arizona", "California", "Colorado", "Florida", "Georgia", "Idaho", "Illinois", "Iowa", "Kansas",
    "Kentucky", "Louisiana", "Maine", "Maryland", "Massachusetts", "Michigan", "Minnesota", "Montana", "Nebraska",
    "Nevada", "New Mexico", "North Carolina", "Ohio", "Oklahoma", "Oregon", "Pennsylvania", "Tennessee", "Texas",
    "Utah", "Vermont", "Virginia", "Washington", "Wisconsin", "Wyoming",
)  # fmt: skip
STATE_CODES = (
    "AL", "AZ", "CA", "CO", "CT", "DE", "FL", "GA", "IA", "ID", "IL", "IN", "KS", "KY", "LA", "MA", "MD", "ME", "MI",
    "MN", "MO", "MT", "NC", "NE", "NH", "NJ", "NM", "NV", "NY", "OH", "OK", "OR", "PA", "RI", "TN", "TX", "UT", "VA",
    "VT", "WA", "WI", "WY",
)  # fmt: skip
AIRPORTS = (
    "AKL", "AMS", "ARN", "ATH", "ATL", "AUS", "BCN", "BER", "BGO", "BHX", "BKK", "BLQ", "BOG", "BOM", "BOS", "BRU",
    "BUD", "CAI", "CDG", "CPH", "CPT", "DEL", "DEN", "DFW", "DUB", "DXB", "EDI", "EWR", "EZE", "FCO", "FRA", "GIG",
    "GLA", "GOT", "GRU", "GVA", "HAM", "HAN", "HEL", "HKG", "HND", "IAD", "IST", "JFK", "JNB", "KEF", "KIX", "KRK",
    "KUL", "LAX", "LED", "LGW", "LHR", "LIM", "LIS", "LJU", "LYS", "MAD", "MAN", "MEL", "MEX", "MIA", "MRS", "MSP",
    "MUC", "MXP", "NBO", "NCE", "NRT", "ORD", "ORY", "OSL", "OTP", "PDX", "PHL", "PHX", "PRG", "RIX", "SAN", "SCL",
    "SEA", "SFO", "SGN", "SIN", "STN", "SVO", "SYD", "TLL", "TPE", "TRD", "VCE", "VIE", "VNO", "WAW", "YUL", "YVR",
    "YYZ", "ZAG", "ZRH",
)  # fmt: skip
CURRENCY_CODES = (
    "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BGN",
    "TRY", "ILS", "AED", "SAR", "INR", "CNY", "HKD", "TWD", "KRW", "SGD", "THB", "MYR", "IDR", "PHP", "VND", "ZAR",
    "KES", "EGP", "MAD", "NGN", "BRL", "MXN", "ARS", "CLP", "COP", "PEN", "UYU", "ISK", "UAH", "GEL",
)  # fmt: skip
LANGUAGES = (
    "Arabic", "Bengali", "Catalan", "Croatian", "Czech", "Danish", "Dutch", "English", "Estonian", "Finnish",
    "French", "German", "Greek", "Hebrew", "Hindi", "Hungarian", "Icelandic", "Indonesian", "Italian", "Japanese",
    "Korean", "Latvian", "Lithuanian", "Mandarin", "Norwegian", "Polish", "Portuguese", "Romanian", "Slovak",
    "Slovenian", "Spanish", "Swahili", "Swedish", "Thai", "Turkish", "Ukrainian", "Vietnamese", "Welsh",
)  # fmt: skip
LANGUAGE_CODES = (
    "ar", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "he", "hi", "hr", "hu", "id", "is", "it",
    "ja", "ko", "lt", "lv", "nb", "nl", "pl", "pt", "ro", "sk", "sl", "sv", "th", "tr", "uk", "vi", "zh",
)  # fmt: skip
LOCALES = (
    "da-DK", "de-AT", "de-DE", "en-AU", "en-CA", "en-GB", "en-US", "es-ES", "es-MX", "fi-FI", "fr-CA", "fr-FR",
    "it-IT", "ja-JP", "ko-KR", "nb-NO", "nl-NL", "pl-PL", "pt-BR", "pt-PT", "sv-SE", "tr-TR",
)  # fmt: skip
TIMEZONES = (
    "Europe/London", "Europe/Dublin", "Europe/Lisbon", "Europe/Paris", "Europe/Madrid", "Europe/Berlin",
    "Europe/Rome", "Europe/Oslo", "Europe/Stockholm", "Europe/Helsinki", "Europe/Warsaw", "Europe/Athens",
    "Europe/Istanbul", "Africa/Cairo", "Africa/Nairobi", "Africa/Johannesburg", "Asia/Dubai", "Asia/Kolkata",
    "Asia/Bangkok", "Asia/Singapore", "Asia/Hong_Kong", "Asia/Tokyo", "Asia/Seoul", "Australia/Perth",
    "Australia/Sydney", "Pacific/Auckland", "America/New_York", "America/Chicago", "America/Denver",
    "America/Los_Angeles", "America/Toronto", "America/Vancouver", "America/Mexico_City", "America/Bogota",
    "America/Lima", "America/Sao_Paulo", "America/Buenos_Aires", "UTC",
)  # fmt: skip
COLORS = (
    "red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "black", "white", "gray", "navy", "teal",
    "turquoise", "olive", "maroon", "beige", "ivory", "gold", "silver", "coral", "lavender", "mint green",
    "dark green", "light blue", "charcoal", "mustard", "cream",
)  # fmt: skip
PRODUCTS = (
    "wireless mouse", "mechanical keyboard", "USB-C cable", "laptop stand", "noise-cancelling headphones",
    "desk lamp", "office chair", "standing desk", "webcam", "monitor arm", "phone case", "power bank",
    "Bluetooth speaker", "smart watch", "fitness tracker", "e-reader", "tablet sleeve", "backpack", "travel pillow",
    "suitcase", "water bottle", "coffee grinder", "French press", "espresso machine", "electric kettle", "toaster",
    "blender", "rice cooker", "cast iron pan", "chef's knife", "cutting board", "mixing bowl", "lunch box",
    "candle set", "throw blanket", "cotton sheets", "bath towel", "shower curtain", "wall clock", "picture frame",
    "bookshelf", "floor lamp", "yoga mat", "dumbbell set", "running shoes", "hiking boots", "rain jacket",
    "wool scarf", "baseball cap", "sunglasses", "leather wallet", "canvas tote bag", "notebook", "fountain pen",
    "watercolor set", "board game", "jigsaw puzzle", "tennis racket", "soccer ball", "bike helmet", "bike light",
    "camping tent", "sleeping bag", "headlamp", "garden hose", "plant pot", "bird feeder", "cordless drill",
    "tool box", "paint roller", "dog bed", "cat tree", "baby monitor", "stroller", "car charger", "phone mount",
    "air purifier", "robot vacuum", "hair dryer", "electric toothbrush",
)  # fmt: skip
CATEGORIES = (
    "electronics", "books", "clothing", "groceries", "furniture", "toys", "sports", "garden", "beauty", "kitchen",
    "office supplies", "music", "travel", "health", "pets", "tools", "art", "outdoor", "stationery", "lighting",
)  # fmt: skip
BRANDS = (
    "Brightwell", "Corvane", "Dunmore", "Elkhart & Sons", "Fernway", "Glasshill", "Harlow", "Inverley",
    "Juniper Works", "Kestrel", "Lumora", "Marlow Bay", "Northvale", "Oakline", "Pinegate", "Quillon", "Redfern",
    "Solstice", "Tamber", "Upland", "Velora", "Westcott", "Yarrow", "Zephyra",
)  # fmt: skip
RESTAURANTS = (
    "The Copper Kettle", "Blue Fig", "Casa Lupita", "Nonna's Table", "Lantern House", "The Salty Fig",
    "Saffron Garden", "Bistro Marcel", "Golden Lotus", "The Hungry Otter", "Trattoria Vesper", "Ember & Oak",
    "Little Hanoi", "Sakura Lane", "The Green Olive", "Harbor Grill", "Maple & Thyme", "Taverna Iris",
    "The Brass Spoon", "Rosa's Cantina", "Noodle Yard", "The Corner Table", "Piazza Luna", "Curry Leaf",
    "Juniper & Rye", "The Painted Door", "Café Amélie", "Smoke & Salt", "Bamboo Court", "La Petite Cour",
    "The Old Mill", "Cedar Room", "Ocean Pearl", "Basil & Stone", "Zaytoun", "The Velvet Plum", "El Farol",
    "Stone Bridge Inn", "Kitchen 12", "The Wandering Goose",
)  # fmt: skip
HOTELS = (
    "Harbor View Hotel", "The Linden", "Hotel Aurora", "Grand Meridian", "Park Lane Suites", "The Copper House",
    "Seabreeze Inn", "Hotel Bellavista", "Old Town Lodge", "The Marlowe", "Riverside Plaza", "Alpine Rest",
    "Palm Court Hotel", "The Foxglove", "Northern Star Hotel", "Villa Serena", "The Windsor Arms",
    "Lakeside Retreat", "Hotel Miramar", "City Garden Hotel", "The Hawthorne", "Sunset Bay Resort", "Hotel Central",
    "The Lighthouse Inn", "Cathedral Square Hotel", "Maple Tree Inn", "Hotel Astoria Nova", "The Ivy House",
    "Canal House Hotel", "Summit Lodge",
)  # fmt: skip
AIRLINES = (
    "Aer Lingus", "Air Canada", "Air France", "Air New Zealand", "ANA", "Austrian Airlines", "Avianca",
    "British Airways", "Cathay Pacific", "Delta", "easyJet", "Emirates", "Finnair", "Iberia", "Icelandair",
    "ITA Airways", "KLM", "Korean Air", "LATAM", "LOT", "Lufthansa", "Norwegian", "Qantas", "Qatar Airways",
    "Ryanair", "SAS", "Singapore Airlines", "SWISS", "TAP Air Portugal", "Turkish Airlines", "United", "Vueling",
)  # fmt: skip
STOCKS = (
    "AAPL", "ADBE", "AMD", "AMZN", "ASML", "BA", "BAC", "COST", "CRM", "CSCO", "DIS", "F", "GE", "GOOGL", "IBM",
    "INTC", "JNJ", "JPM", "KO", "MA", "MCD", "META", "MRK", "MSFT", "NFLX", "NKE", "NVDA", "ORCL", "PEP", "PFE",
    "PG", "QCOM", "SBUX", "T", "TSLA", "UBER", "V", "WMT", "XOM",
)  # fmt: skip
GENRES = (
    "rock", "pop", "jazz", "classical", "electronic", "hip hop", "folk", "country", "blues", "soul", "reggae",
    "metal", "indie", "ambient", "house", "techno", "funk", "punk", "latin", "soundtrack",
)  # fmt: skip
FILM_GENRES = (
    "comedy", "drama", "thriller", "science fiction", "documentary", "horror", "romance", "fantasy", "animation",
    "crime", "mystery", "adventure", "western", "war", "family", "musical",
)  # fmt: skip
CUISINES = (
    "Italian", "Japanese", "Mexican", "Indian", "Thai", "French", "Greek", "Spanish", "Korean", "Vietnamese",
    "Lebanese", "Turkish", "Ethiopian", "Moroccan", "Peruvian", "Chinese", "Caribbean", "vegan", "seafood",
    "Portuguese",
)  # fmt: skip
DISHES = (
    "mushroom risotto", "chicken curry", "lentil soup", "pad thai", "margherita pizza", "beef tacos", "Caesar salad",
    "ramen", "falafel wrap", "fish and chips", "vegetable lasagna", "paella", "pancakes", "shakshuka",
    "pumpkin soup", "roast chicken", "spaghetti carbonara", "Greek salad", "banana bread", "apple pie", "dumplings",
    "chili con carne", "miso soup", "pesto pasta",
)  # fmt: skip
INGREDIENTS = (
    "tomatoes", "onions", "garlic", "olive oil", "basil", "chicken", "rice", "pasta", "eggs", "flour", "butter",
    "milk", "lemon", "spinach", "mushrooms", "chickpeas", "lentils", "potatoes", "carrots", "cheese", "coconut milk",
    "ginger", "tofu", "black beans", "salmon",
)  # fmt: skip
ALLERGENS = (
    "peanuts", "gluten", "dairy", "shellfish", "eggs", "soy", "tree nuts", "sesame",
)  # fmt: skip
WEEKDAYS = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
UNITS = (
    "kg", "g", "lb", "oz", "km", "m", "cm", "mi", "ft", "in", "l", "ml",
)  # fmt: skip
ROOMS = (
    "living room", "kitchen", "bedroom", "bathroom", "hallway", "office", "garage", "dining room", "nursery",
    "guest room", "basement", "attic", "laundry room", "balcony", "study", "porch",
)  # fmt: skip
DEVICES = (
    "ceiling light", "desk lamp", "thermostat", "front door lock", "garage door", "window blinds", "coffee maker",
    "speaker", "television", "heater", "fan", "humidifier", "air purifier", "sprinkler", "doorbell", "floor lamp",
)  # fmt: skip
PLACES = (
    "the train station", "the city library", "Riverside Park", "the airport", "the old market hall",
    "Central Station", "the art museum", "the town hall", "the botanical garden", "the football stadium",
    "the harbor", "the university", "the main square", "the science museum", "the concert hall", "the zoo",
    "the cathedral", "the bus station",
)  # fmt: skip
DEPARTMENTS = (
    "Sales", "Marketing", "Finance", "Human Resources", "Engineering", "Legal", "Customer Support", "Operations",
    "Design", "Purchasing", "Research", "Facilities", "IT", "Logistics", "Quality Assurance",
)  # fmt: skip
TEAMS = (
    "Platform", "Growth", "Payments", "Mobile", "Data", "Infrastructure", "Security", "Onboarding", "Search",
    "Billing", "Web", "Integrations",
)  # fmt: skip
SKILLS = (
    "Python", "SQL", "project management", "public speaking", "data analysis", "copywriting", "negotiation", "Excel",
    "JavaScript", "accounting", "user research", "photography", "welding", "first aid", "translation", "statistics",
)  # fmt: skip
TAGS = (
    "urgent", "work", "home", "family", "travel", "finance", "health", "ideas", "reading", "shopping", "project",
    "meeting", "follow-up", "personal", "school", "recipes", "garden", "car", "receipts", "invoices", "design",
    "draft", "review", "important", "later", "events", "gifts", "fitness", "taxes", "photos",
)  # fmt: skip
STATUSES = (
    "open", "in progress", "done", "pending", "closed", "on hold", "cancelled", "approved", "rejected", "scheduled",
)  # fmt: skip
FOLDERS = (
    "Documents", "Projects", "Invoices", "Photos", "Receipts", "Contracts", "Reports", "Archive", "Shared", "Taxes",
    "Travel", "Recipes", "Presentations", "Music", "Backups", "Meeting notes", "Drafts", "Design", "Clients",
    "School",
)  # fmt: skip
FILE_STEMS = (
    "budget", "report", "invoice", "meeting_notes", "presentation", "contract", "itinerary", "resume", "photo",
    "draft", "summary", "checklist", "proposal", "roadmap", "timesheet", "recipe", "floor_plan", "logo",
    "survey_results", "inventory", "schedule", "minutes", "cover_letter", "price_list", "newsletter",
)  # fmt: skip
FILE_TYPES = (
    "pdf", "docx", "xlsx", "txt", "csv", "png", "jpg", "pptx", "md", "zip",
)  # fmt: skip
SONGS = (
    "Paper Lanterns", "Midnight Harbor", "Slow River", "Golden Hour Again", "Northern Lights", "Coffee at Noon",
    "Glass Garden", "The Long Way Home", "Summer Static", "Old Photographs", "Quiet Thunder", "Runaway Kite",
    "Velvet Morning", "City of Rain", "Hold the Line Steady", "Blue Bicycle", "Wildflower Road", "Silver Tide",
    "Second Spring", "Echoes of You",
)  # fmt: skip
ARTISTS = (
    "The Lantern Keepers", "Mira Solano", "Paper Foxes", "Northbound Choir", "Ada Quill", "The Velvet Rooks",
    "Juno Hart", "Slow Cinema", "Kite & Anchor", "Oskar Lind", "Tidewater Trio", "The Brass Hours", "Nova Reyes",
    "Small Planets", "Elena Voss", "Harbor Lights Band",
)  # fmt: skip
ALBUMS = (
    "Low Tide", "Letters Home", "Rooms Without Clocks", "Second Summer", "The Weather Inside", "Paper Moons",
    "Distant Radio", "Small Hours", "Salt and Honey", "A Map of Quiet", "Evening Trains", "Old Gold",
)  # fmt: skip
BOOKS = (
    "The Salt Road", "A Winter Garden", "The Clockmaker's Daughter's House", "Letters from the Coast",
    "The Last Orchard", "Night Ferry", "The Glass Mountain", "Small Kindnesses", "A History of Rain",
    "The Quiet Kitchen", "Under the Lemon Tree", "The Cartographer", "Seven Bridges", "The Island Year",
    "Borrowed Light", "The Beekeeper's Almanac",
)  # fmt: skip
FILMS = (
    "The Last Ferry", "Midnight in Tromsø", "Paper Boats", "The Orchard", "Silent Harbor", "Glass City",
    "A Summer in Turin", "The Cartographer's Son", "Red Kite", "The Long Thaw", "Night Bakery", "Seven Doors",
    "Under the Pier", "Comet Season",
)  # fmt: skip
SPORTS = (
    "tennis", "football", "basketball", "swimming", "cycling", "running", "yoga", "climbing", "badminton",
    "volleyball", "rowing", "golf", "table tennis", "skiing", "boxing", "pilates",
)  # fmt: skip
EVENTS = (
    "birthday dinner", "team lunch", "project kickoff", "dentist appointment", "parent-teacher meeting", "book club",
    "quarterly review", "yoga class", "piano lesson", "client call", "housewarming party", "product demo",
    "budget meeting", "school concert", "job interview", "design review", "wedding rehearsal", "garden party",
    "one-on-one", "sprint planning", "board meeting", "farewell drinks", "gym session", "car inspection",
)  # fmt: skip
TOPICS = (
    "renewable energy", "space exploration", "home gardening", "personal finance", "machine learning",
    "sourdough baking", "marathon training", "travel photography", "ancient Rome", "remote work", "electric cars",
    "urban planning", "meditation", "chess openings", "jazz history", "climate policy", "interior design",
    "beekeeping", "public transport", "coffee brewing",
)  # fmt: skip
SYMPTOMS = (
    "headache", "sore throat", "fever", "cough", "back pain", "dizziness", "rash", "fatigue", "nausea", "earache",
    "stiff neck", "stomach ache",
)  # fmt: skip
MEDICINES = (
    "ibuprofen", "paracetamol", "amoxicillin", "cetirizine", "omeprazole", "metformin", "vitamin D", "aspirin",
    "loratadine", "salbutamol",
)  # fmt: skip
SPECIALTIES = (
    "dermatology", "cardiology", "pediatrics", "orthopedics", "neurology", "dentistry", "ophthalmology",
    "general practice", "psychiatry", "physiotherapy",
)  # fmt: skip
CAR_MAKES = (
    "Toyota", "Volkswagen", "Ford", "Honda", "Volvo", "Hyundai", "Kia", "Renault", "Peugeot", "Skoda", "Mazda",
    "Nissan", "BMW", "Audi", "Fiat", "Subaru", "Tesla", "Seat",
)  # fmt: skip
JOBS = (
    "software engineer", "accountant", "nurse", "teacher", "project manager", "graphic designer", "sales manager",
    "electrician", "data analyst", "chef", "office manager", "lawyer", "pharmacist", "architect", "plumber",
    "marketing manager", "librarian", "photographer", "journalist", "mechanical engineer", "customer support agent",
    "recruiter", "translator", "carpenter", "product manager", "dentist", "physiotherapist", "event planner",
    "warehouse supervisor", "research assistant",
)  # fmt: skip
COMPANY_WORDS = (
    "Brightlane", "Northgate", "Cedar Point", "Bluewater", "Ironbridge", "Larkspur", "Highfield", "Redwood",
    "Silverline", "Oakhurst", "Fairmont", "Clearbrook", "Stonebridge", "Westfield", "Summit", "Harborview",
    "Maplewood", "Kingsley", "Ashford", "Riverstone",
)  # fmt: skip
WORDS = (
    "anchor", "apple", "arrow", "autumn", "badge", "bakery", "balcony", "bamboo", "basket", "beacon", "blanket",
    "blossom", "breeze", "bridge", "bright", "bronze", "butter", "cabin", "camera", "candle", "canyon", "carpet",
    "castle", "cedar", "cherry", "circle", "clover", "cobalt", "coffee", "copper", "coral", "corner", "cotton",
    "cottage", "crystal", "daisy", "desert", "domino", "dragon", "ember", "engine", "fabric", "falcon", "feather",
    "fern", "field", "flame", "forest", "fountain", "fox", "galaxy", "garden", "ginger", "glacier", "golden",
    "granite", "harbor", "hazel", "honey", "horizon", "island", "ivory", "jacket", "jasmine", "jungle", "kettle",
    "kite", "ladder", "lagoon", "lantern", "lemon", "library", "lily", "linen", "lotus", "magnet", "maple", "marble",
    "meadow", "mint", "mirror", "mist", "monarch", "moon", "mosaic", "mountain", "needle", "nest", "oak", "oasis",
    "ocean", "olive", "onyx", "opal", "orange", "orchard", "otter", "owl", "palm", "panda", "paper", "pearl",
    "pebble", "pepper", "pillow", "pine", "planet", "pocket", "pond", "prairie", "puzzle", "quartz", "rain", "raven",
    "reef", "ribbon", "river", "robin", "rocket", "rose", "saddle", "sage", "sail", "salt", "sand", "scarlet",
    "shadow", "shell", "silver", "sky", "snow", "spark", "spring", "star", "stone", "storm", "summer", "sunset",
    "tiger", "timber", "topaz", "tulip", "tunnel", "valley", "velvet", "violet", "walnut", "water", "willow",
    "window", "winter", "wolf", "yellow", "zebra", "zen",
)  # fmt: skip
MAP_KEYS = (
    "source", "owner", "team", "project", "region", "channel", "campaign", "language", "theme", "stage", "origin",
    "department", "reference", "season", "style", "format",
)  # fmt: skip
