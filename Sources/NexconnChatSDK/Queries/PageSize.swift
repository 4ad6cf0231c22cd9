/// Sizes of pages.
enum PageSize {
    /// The requested size, limited to what the service returns at once (rule NH-31).
    static func clamped(_ size: Int32, to range: ClosedRange<Int>) -> Int {
        min(max(Int(size), range.lowerBound), range.upperBound)
    }
}
