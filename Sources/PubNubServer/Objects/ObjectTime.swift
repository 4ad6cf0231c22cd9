import ServerValues

/// Formats times as App Context does.
enum ObjectTime {
    /// - Parameter ticks: units of 100 ns since 1970.
    /// - Returns: a text such as `2020-06-04T19:39:57.722354Z`.
    static func text(_ ticks: UInt64) -> String {
        let seconds = ticks / TimetokenClock.ticksPerSecond
        let micros = ticks % TimetokenClock.ticksPerSecond / (TimetokenClock.ticksPerSecond / 1_000_000)
        let (year, month, day) = date(Int(seconds / 86_400))
        let second = Int(seconds % 86_400)
        let parts = [(year, 4, "-"), (month, 2, "-"), (day, 2, "T"), (second / 3600, 2, ":"), (second / 60 % 60, 2, ":")]
        let start = parts.map { digits($0.0, $0.1) + $0.2 }.joined()
        return start + digits(second % 60, 2) + "." + digits(Int(micros), 6) + "Z"
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// The Gregorian date of a day, counted from 1970-01-01. Years begin in March here, so that the leap day is the last day of a year.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // The days since the first of March of the year 0. They are divided into eras of 400 years.
        let day = days + 719_468
        let era = day / 146_097
        let dayOfEra = day % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNextYear = month >= 10
        return (
            era * 400 + yearOfEra + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}
