"""What a good author says of three tools of the fieldworks server, as an overlay that comes with the program has it."""

from typing import Any

TOOLS: dict[str, dict[str, Any]] = {
    "fieldworks_get_job": {
        "phrases": {
            "request": ["look up job {job_id}", "check on a job", "pull up job {job_id}"],
            "question": ["what's the state of job {job_id}", "how is job {job_id} coming along"],
            "want": ["the details of job {job_id}"],
            "follow_up": ["pull up {job_id}"],
            "slots": {"include_history": {"true": ["including its history"], "false": ["without its history"]}},
            "ask": {"job_id": ["Which job do you mean?"]},
            "answer": [
                "Job {job_id} ({title}) is {status}.",
                "{title}, job {job_id}, is due on {due_date} and its status is {status}.",
                "The status of {job_id} is {status}; it's “{title}” with {priority} priority.",
            ],
        },
    },
    "fieldworks_list_jobs": {
        "say": {"cursor": "never", "limit": "seldom"},
        "relations": ["from_date < to_date"],
        "phrases": {
            "request": ["list the jobs", "show me the jobs", "get me the jobs"],
            "question": ["which jobs are there"],
            "found": ["the jobs"],
            "slots": {
                "status": {
                    "open": ["that are open"],
                    "scheduled": ["that are scheduled"],
                    "in_progress": ["that are in progress"],
                    "done": ["that are done"],
                    "cancelled": ["that were cancelled"],
                },
                "technician_id": ["of technician {technician_id}"],
                "from_date": ["due from {from_date} on"],
                "to_date": ["due until {to_date}"],
                "limit": [", {limit} at most"],
            },
            "pick": {
                "jobs": [
                    {"say": "the first one", "by": "first"},
                    {"say": "the one that is due next", "by": "min due_date"},
                ]
            },
            "answer": [
                "I found {jobs#} {jobs#?job|jobs}: {jobs}.",
                "There {jobs#?is|are} {jobs#} {jobs#?job|jobs}: {jobs}.",
                {"when": {"jobs": []}, "say": "I found no jobs."},
            ],
            "each": {
                "jobs": ["{title} ({job_id}), due {due_date}, {status}", "{job_id}: {title}, {status}, due {due_date}"]
            },
        },
    },
    "fieldworks_cancel_job": {
        "texts": {
            "reason": ["the customer {moved away|found somebody else|fixed it themselves}", "booked {twice|by mistake}"]
        },
        "phrases": {
            "request": ["cancel job {job_id}", "call off job {job_id}"],
            "follow_up": ["cancel {job_id}"],
            "slots": {
                "reason": ["because {reason}", "with the reason {reason:quoted}"],
                "notify_customer": {
                    "true": ["and let the customer know"],
                    "false": ["without telling the customer"],
                },
            },
            "answer": ["I've cancelled job {job_id} ({title}).", "Job {job_id}, {title}, is cancelled."],
        },
    },
}
