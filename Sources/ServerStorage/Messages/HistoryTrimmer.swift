import Identifiers

/// Reduces histories to their limits, in steps that a durable store performs (rule SO-165).
///
/// For each application, the trimmer stores the timetoken below which the history has no messages any more. The next step begins at this
/// timetoken. So a store does not read the messages of other applications below this timetoken again.
package actor HistoryTrimmer {
    /// The usage of an application's history, and the timetoken at which the oldest day that has messages begins.
    package struct Total: Sendable {
        package var usage: HistoryUsage
        package var first: Int64

        package init(usage: HistoryUsage = HistoryUsage(), first: Int64 = 0) {
            self.usage = usage
            self.first = first
        }
    }

    /// The result of one step: the usage of the history after the step. In this usage, `removed` counts only the messages that the step
    /// itself has removed.
    package struct Step: Sendable {
        package var usage: HistoryUsage
        /// The timetoken (in chat, the event id) below which the history has no messages any more. The next step begins there.
        package var reached: Int64
        package var isUnfinished: Bool

        package init(usage: HistoryUsage, reached: Int64, isUnfinished: Bool) {
            self.usage = usage
            self.reached = reached
            self.isUnfinished = isUnfinished
        }
    }

    /// One day in units of 100 ns. Stores count the messages of each day.
    package static let day: Int64 = 864_000_000_000

    private var marks: [Identifier: Int64] = [:]

    package init() {}

    /// Deletes messages step by step until each history is within its limits. Returns the usage of each history.
    ///
    /// - Parameters:
    ///   - limits: the limits of each application.
    ///   - totals: the present usage of the histories; an application without messages is missing.
    ///   - step: deletes some of the oldest messages of an application, beginning at a timetoken.
    package func trim(
        _ limits: [Identifier: HistoryLimits], _ totals: [Identifier: Total],
        step: @Sendable (_ application: Identifier, _ limits: HistoryLimits, _ from: Int64) async throws -> Step
    ) async throws -> [Identifier: HistoryUsage] {
        var usages: [Identifier: HistoryUsage] = [:]
        for (application, limits) in limits {
            let total = totals[application] ?? Total()
            var usage = total.usage
            var from = max(total.first, marks[application] ?? 0)
            var isUnfinished =
                usage.messages > 0 && (limits.isExceeded(by: usage) || UInt64(clamping: from) < limits.lowest)
            while isUnfinished {
                try Task.checkCancellation()
                let step = try await step(application, limits, from)
                let removed = usage.removed + step.usage.removed
                usage = step.usage
                usage.removed = removed
                // A step that neither removes messages nor advances would be repeated forever, so the next step begins one timetoken later.
                let isStuck = step.reached <= from && step.usage.removed == 0
                isUnfinished = step.isUnfinished && from < .max
                from = isStuck && from < .max ? from + 1 : step.reached
                marks[application] = from
            }
            usages[application] = usage
        }
        return usages
    }
}

/// An application and a day. Durable stores count the messages of one application and one day together.
package struct HistoryDay: Hashable, Comparable, Sendable {
    package var application: String
    /// The number of days since 1970.
    package var day: Int64

    package init(_ application: String, timetoken: UInt64) {
        self.application = application
        day = Int64(clamping: timetoken) / HistoryTrimmer.day
    }

    /// By their bytes.
    package static func == (left: HistoryDay, right: HistoryDay) -> Bool {
        left.day == right.day && left.application.isExactly(right.application)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(day)
        hasher.combine(Identifier(application))
    }

    package static func < (left: HistoryDay, right: HistoryDay) -> Bool {
        (Identifier(left.application), left.day) < (Identifier(right.application), right.day)
    }
}

extension [HistoryDay: HistoryUsage] {
    /// Counts one message.
    package mutating func count(_ application: String, timetoken: UInt64, bytes: Int) {
        let place = HistoryDay(application, timetoken: timetoken)
        self[place, default: HistoryUsage()].messages += 1
        self[place, default: HistoryUsage()].bytes += bytes
    }
}
