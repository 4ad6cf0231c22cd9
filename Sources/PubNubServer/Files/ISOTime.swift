/// Formats times as the files service does, for example `2020-07-06T14:19:33Z`.
enum ISOTime {
    static func text(unixSeconds: Int) -> String {
        let days = unixSeconds.flooring(by: 86_400)
        let second = unixSeconds - days * 86_400
        // Years begin in March here, so that the leap day is the last day of a year.
        let shifted = days + 719_468
        let era = shifted.flooring(by: 146_097)
        let day = shifted - era * 146_097
        let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let date = "\(year)-\(two(month))-\(two(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))"
        return date + "T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int {
    fileprivate func flooring(by divisor: Int) -> Int { (self >= 0 ? self : self - divisor + 1) / divisor }
}
