#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Parses the header `Retry-After`: a number of seconds or a date (RFC 9110, 10.2.3).
public enum RetryAfter {
    /// The longest accepted pause, a day. Engines limit the pause further.
    public static let longest = Duration.seconds(86_400)

    /// Returns the pause that `value` asks for, at most a day; zero for a date in the past, nil for a text that is neither a number of
    /// seconds nor a date.
    public static func duration(_ value: String, unixTime: Int64) -> Duration? {
        let text = value.drop { $0 == " " || $0 == "\t" }
        let digits = text.prefix { ("0"..."9").contains($0) }
        let rest = text.dropFirst(digits.count)
        if !digits.isEmpty, rest.allSatisfy({ $0 == " " || $0 == "\t" }) {
            return clamped(Int64(digits) ?? .max)
        }
        guard let date = HTTPDate.unixTime(text, now: unixTime) else { return nil }
        let (difference, overflow) = date.subtractingReportingOverflow(unixTime)
        return overflow ? nil : clamped(difference)
    }

    private static func clamped(_ seconds: Int64) -> Duration {
        min(max(.seconds(min(seconds, 1 << 32)), .zero), longest)
    }
}

/// Dates in HTTP headers. They are written in the usual format, such as `Sun, 06 Nov 1994 08:49:37 GMT`. The two obsolete formats are
/// parsed as well, as RFC 9110, 5.6.7 requires of every recipient.
public enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Parses a date into seconds since 1970; nil when `text` is not such a date.
    ///
    /// - Parameter now: the current time, in seconds since 1970. A two-digit year that would be more than 50 years in the future is taken
    ///   as one in the past.
    public static func unixTime(_ text: some StringProtocol, now: Int64 = WallClock.unixTime) -> Int64? {
        let parts = text.split(separator: " ").map { String($0) }
        switch parts.count {
        // The usual format: Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where parts[0].hasSuffix(",") && parts[5] == "GMT" && parts[3].utf8.count == 4:
            return unixTime(day: parts[1], month: parts[2], year: Int64(parts[3]), clock: parts[4])
        // An obsolete format: Sunday, 06-Nov-94 08:49:37 GMT
        case 4 where parts[0].hasSuffix(",") && parts[3] == "GMT":
            let date = parts[1].split(separator: "-").map { String($0) }
            guard date.count == 3, date[2].utf8.count == 2 else { return nil }
            let year = Int64(date[2]).map { fullYear($0, now: now) }
            return unixTime(day: date[0], month: date[1], year: year, clock: parts[2])
        // An obsolete format: Sun Nov  6 08:49:37 1994
        case 5 where parts[4].utf8.count == 4:
            return unixTime(day: parts[2], month: parts[1], year: Int64(parts[4]), clock: parts[3])
        default:
            return nil
        }
    }

    private static func unixTime(day: String, month: String, year: Int64?, clock: String) -> Int64? {
        guard let day = Int64(day), (1...31).contains(day), let month = months.firstIndex(of: month),
            let year, (1970...9999).contains(year)
        else { return nil }
        let clock = clock.split(separator: ":").map { Int64($0) ?? -1 }
        guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2]) else {
            return nil
        }
        return days(year: year, month: Int64(month) + 1, day: day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    /// The full year for the last two digits of a year: at most 50 years in the future.
    private static func fullYear(_ digits: Int64, now: Int64) -> Int64 {
        let present = date(days: min(max(now, 0), 253_402_300_799) / 86_400).year
        let year = present - present % 100 + digits
        if year > present + 50 { return year - 100 }
        return year + 100 > present + 50 ? year : year + 100
    }

    /// Formats a time, in seconds since 1970 and clamped to the years 1970 to 9999.
    public static func text(unixTime: Int64) -> String {
        let seconds = min(max(unixTime, 0), 253_402_300_799)
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = date(days: days)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days % 7)]
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map(twoDigits).joined(separator: ":")
        return "\(weekday), \(twoDigits(day)) \(months[Int(month) - 1]) \(year) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int64) -> String {
        (number < 10 ? "0" : "") + String(number)
    }

    /// Converts days since 1970 to a date: the inverse of ``days(year:month:day:)``, for days that are not negative.
    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// Converts a date of the Gregorian calendar to days since 1970. Years begin in March here, so that the leap day comes last.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        let monthFromMarch = (month + 9) % 12
        return shifted * 365 + leapDays + (monthFromMarch * 153 + 2) / 5 + day - 1 - 719_468
    }
}

/// The time of day, for comparison with dates of other machines. Never used for timers.
public enum WallClock {
    /// Seconds since 1970.
    public static var unixTime: Int64 { Int64(time(nil)) }
}
