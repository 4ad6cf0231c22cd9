/// Sizes of pages.
enum PageSize {
    /// What the application asks for, within what the service gives at once (rule NH-31).
    static func clamped(_ size: Int32, to range: ClosedRange<Int>) -> Int {
        min(max(Int(size), range.lowerBound), range.upperBound)
    }
}
