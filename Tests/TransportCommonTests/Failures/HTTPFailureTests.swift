import ConnectionEngine
import Testing

@testable import TransportCommon

@Suite struct HTTPFailureTests {
    @Test(
        "Rule WT-9: every status has its category",
        arguments: [
            (200, .malformedResponse), (204, .malformedResponse), (302, .malformedResponse), (511, .malformedResponse),
            (400, .badRequest), (401, .accessDenied), (403, .accessDenied), (404, .unknown), (407, .proxyUnavailable),
            (408, .timeout), (414, .requestTooLong), (431, .requestTooLong), (418, .unknown), (426, .unknown), (429, .overloaded),
            (481, .malformedFilter),
            (500, .unknown), (502, .unknown), (503, .overloaded), (599, .unknown), (999, .malformedResponse),
            (0, .malformedResponse), (-1, .malformedResponse),
        ] as [(Int, StatusCategory)])
    func category(status: Int, category: StatusCategory) {
        let failure = ConnectionFailure.http(status: status, unixTime: 0)
        #expect(failure.category == category)
        #expect(failure.httpStatus == status)
        let isServers = (400..<600).contains(status) && ![407, 511].contains(status)
        #expect(failure.origin == (isServers ? .server : .local))
    }

    @Test(
        arguments: [
            ("3", .seconds(3)), (" 120 ", .seconds(120)), ("0", .zero), ("1000000000000", RetryAfter.longest),
            ("99999999999999999999999", RetryAfter.longest), ("-5", nil), ("", nil), ("soon", nil), ("3.5", nil), ("3 s", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .zero), ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)),
            ("Wed, 21 Oct 2065 07:28:00 GMT", RetryAfter.longest), ("Sun, 06 Nov 1994 25:49:37 GMT", nil),
            ("Sun, 06 Nom 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil),
            ("Sun, 06 Nov 19940000000 08:49:37 GMT", nil),
            // The two old forms.
            ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)), ("Sunday, 06-Nov-94 08:49:37 GMT", .zero),
            ("Sun Nov  6 08:50:37 1994", .seconds(60)), ("Sun Nov 16 08:49:37 1994", RetryAfter.longest),
            ("Friday, 06-Nov-44 08:49:37 GMT", RetryAfter.longest), ("Friday, 06-Nov-45 08:49:37 GMT", nil),
            ("Sunday, 06-Nov-1994 08:50:37 GMT", nil), ("Sun Nov  6 08:50:37 94", nil), ("Sun Nov  6 08:50 1994", nil),
        ] as [(String, Duration?)])
    func `Retry-After is taken in all forms, clamped, and ignored when absurd`(value: String, expected: Duration?) {
        #expect(RetryAfter.duration(value, unixTime: 784_111_777) == expected)
        #expect(ConnectionFailure.http(status: 503, retryAfter: value, unixTime: 784_111_777).retryAfter == expected)
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ] as [(String, Int64)])
    func `Dates of HTTP are read and written`(text: String, expected: Int64) {
        #expect(HTTPDate.unixTime(text) == expected)
        #expect(HTTPDate.text(unixTime: expected) == text)
    }

    @Test func `Every day of four centuries is written as it is read`() {
        for day in Int64(0)..<(400 * 366) {
            let time = day * 86_400 + day % 86_400
            #expect(HTTPDate.unixTime(HTTPDate.text(unixTime: time)) == time)
        }
    }

    @Test(arguments: [(Int64.min, "Thu, 01 Jan 1970 00:00:00 GMT"), (.max, "Fri, 31 Dec 9999 23:59:59 GMT")])
    func `Times that no date can tell become the nearest`(time: Int64, text: String) {
        #expect(HTTPDate.text(unixTime: time) == text)
    }
}
