import Testing

@testable import LifelineCommand

@Suite("Times of day (rule CL-1)")
struct TimeOfDayTests {
    @Test(
        "Timestamps are in UTC, with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_501_800_123, "2026-11-24T06:30:00.123Z"), (7, "1970-01-01T00:00:00.007Z"),
            (951_782_400_099, "2000-02-29T00:00:00.099Z"), (-1, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func timestamps(milliseconds: Int64, text: String) {
        #expect(TimeOfDay.timestamp(milliseconds: milliseconds) == text)
    }
}
