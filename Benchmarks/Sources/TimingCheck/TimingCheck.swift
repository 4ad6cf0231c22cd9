import Foundation
import PusherProtocol
import WireCoding

/// Whether the time of comparing a signature tells where it is wrong (rule SO-41): 20,000 comparisons of signatures whose first
/// digit is wrong and as many whose last one is, in a random order, and a t-test of their times.
///
/// A comparison that stops at the first difference is measured as well, since a measurement that does not see that one says nothing.
/// Ends with 1 when |t| is 4.5 or more. Noise of the machine makes |t| smaller, not larger, but a busy one may hide the control.
@main struct TimingCheck {
    static let comparisons = 20_000
    static let threshold = 4.5

    static func main() {
        let key = "app-key"
        let right = PusherSignature.channelAuth(
            socketID: "1234.5678", channel: "private-room", channelData: nil, key: key, secret: "app-secret")
        let digits = Array(right.dropFirst(key.count + 1).utf8)
        let first = changed(digits, at: 0)
        let last = changed(digits, at: digits.count - 1)
        let prefix = key + ":"
        let (firstAuth, lastAuth) = (
            prefix + String(decoding: first, as: UTF8.self), prefix + String(decoding: last, as: UTF8.self)
        )

        let naive = t("a loop that stops early (control)", repeats: 64) { isLast in
            isEqualStoppingEarly(isLast ? last : first, digits)
        }
        let direct = t("ConstantTime.areEqual", repeats: 64) { isLast in ConstantTime.areEqual(isLast ? last : first, digits) }
        let whole = t("PusherSignature.isValid", repeats: 1) { isLast in
            PusherSignature.isValid(
                channelAuth: isLast ? lastAuth : firstAuth, socketID: "1234.5678", channel: "private-room", channelData: nil,
                key: key, secret: "app-secret")
        }
        guard naive >= threshold else {
            print("timing: the control is not seen; try again on a quieter machine")
            exit(1)
        }
        exit(direct < threshold && whole < threshold ? 0 : 1)
    }

    /// |t| of the times of both kinds, which are measured in a random order.
    static func t(_ name: String, repeats: Int, _ isValid: (_ isLast: Bool) -> Bool) -> Double {
        var times: (first: [Double], last: [Double]) = ([], [])
        var order = (0..<(2 * comparisons)).map { $0 % 2 == 0 }
        order.shuffle()
        for round in [order.prefix(2_000), order[...]] {
            // The first round only warms up.
            times = ([], [])
            for isLast in round {
                let start = now()
                for _ in 0..<repeats where isValid(isLast) { fatalError("a wrong signature is valid") }
                let time = Double(now() - start)
                if isLast { times.last.append(time) } else { times.first.append(time) }
            }
        }
        // Interruptions are not what is looked for; both kinds lose what is above one limit.
        let limit = (times.first + times.last).sorted()[comparisons * 2 * 9 / 10]
        let value = welch(times.first.filter { $0 <= limit }, times.last.filter { $0 <= limit })
        print("timing: \(name): |t| = \((value * 100).rounded() / 100), limit \(threshold)")
        return value
    }

    static func welch(_ left: [Double], _ right: [Double]) -> Double {
        let (a, b) = (moments(left), moments(right))
        let error = (a.variance / Double(left.count) + b.variance / Double(right.count)).squareRoot()
        return error > 0 ? abs(a.mean - b.mean) / error : 0
    }

    static func moments(_ values: [Double]) -> (mean: Double, variance: Double) {
        let mean = values.reduce(0, +) / Double(max(values.count, 1))
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (mean, squares / Double(max(values.count - 1, 1)))
    }

    static func changed(_ digits: [UInt8], at index: Int) -> [UInt8] {
        var digits = digits
        digits[index] = digits[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        return digits
    }

    @inline(never)
    static func isEqualStoppingEarly(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] { return false }
        return left.count == right.count
    }

    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
