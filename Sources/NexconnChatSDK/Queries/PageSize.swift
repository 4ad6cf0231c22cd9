/// Sizes of pages.
enum PageSize {
    /// The requested page size, clamped to the range that the service allows (rule NH-31).
    static func clamped(_ size: Int32, to range: ClosedRange<Int>) -> Int {
        min(max(Int(size), range.lowerBound), range.upperBound)
    }
}
