/// The delivery of events to one receiver of an application (rules SO-118 and CO-71).
package struct WebhookReport: Hashable, Sendable {
    /// The index that the receiver had in the application's list of webhooks when it was first configured, from 0 on.
    package var number: Int
    /// The receiver's address; nil for a receiver that is no longer configured.
    package var url: String?
    package var counts: WebhookDelivery.Counts

    package init(number: Int = 0, url: String?, counts: WebhookDelivery.Counts) {
        self.number = number
        self.url = url
        self.counts = counts
    }

    /// The labels of a webhook receiver's counts in metrics.
    package struct Name: Hashable, Sendable {
        package var application: ApplicationName
        package var number: Int

        package init(_ application: ApplicationName, _ number: Int = 0) {
            self.application = application
            self.number = number
        }

        var labels: PrometheusText.Labels {
            [
                "service": application.service.rawValue, "app": application.application.text, "receiver": String(number),
            ]
        }
    }
}

extension WebhookReport {
    /// The report without address, problem and last failure, for a receiver to which another node sends now.
    package var settled: WebhookReport { WebhookReport(number: number, url: nil, counts: counts.settled) }
}

extension [WebhookReport] {
    /// Merges two lists of reports, sorted by number, and adds the counts of equal numbers. Addresses in the first list are used.
    package func adding(_ others: [WebhookReport]) -> [WebhookReport] {
        var reports = Dictionary(map { ($0.number, $0) }) { first, _ in first }
        for other in others {
            reports[other.number, default: WebhookReport(number: other.number, url: nil, counts: .init())].counts += other.counts
            if reports[other.number]?.url == nil { reports[other.number]?.url = other.url }
        }
        return reports.values.sorted { $0.number < $1.number }
    }
}
