"""A desk with customers and orders: a small file of tools that act on entities."""

DESK = """
entities:
  customer:
    key: customer_id
    count: [2, 4]
    fields:
      customer_id: {type: string, pattern: "^CUS-[0-9]{4}$"}
      name: {type: string, x-kind: person_name}
      city: {type: string, x-kind: city}
    called: [name, city]
  order:
    key: order_id
    count: [4, 8]
    fields:
      order_id: {type: string, pattern: "^ORD-[0-9]{5}$"}
      customer_id: {}
      item: {type: string, examples: [lamp, desk, chair, rug, mirror, kettle, toaster, blanket]}
      placed: {type: string, format: date, x-when: past}
      quantity: {type: integer, minimum: 1, maximum: 4}
      total: {type: integer, x-compute: "quantity * 7"}
      status: {states: {open: [held, shipped, cancelled], held: [open, cancelled], shipped: [], cancelled: []}}
    called: [item, status]
tools:
  - name: find_customers
    description: Find customers by name.
    parameters: {type: object, properties: {name: {type: string, description: Name}}, required: [name]}
    returns:
      type: object
      properties:
        customers:
          type: array
          items: {type: object, properties: {customer_id: {type: string}, name: {type: string}, city: {type: string}}, required: [customer_id, name, city]}
      required: [customers]
    effect: {find: customer, by: {name: name}, at: customers}
  - name: list_orders
    description: List the orders of a customer.
    parameters:
      type: object
      properties:
        customer_id: {type: string, description: Number of the customer}
        status: {type: string, enum: [open, held, shipped, cancelled], description: State}
        max_total: {type: integer, minimum: 14, maximum: 28, description: Highest total}
        limit: {type: integer, minimum: 1, maximum: 3, description: How many}
      required: [customer_id]
    returns:
      type: object
      properties:
        orders:
          type: array
          maxItems: 4
          items: {type: object, properties: {order_id: {type: string}, item: {type: string}, total: {type: integer}, status: {type: string}}, required: [order_id, item, total, status]}
        shown: {type: integer, x-compute: len(orders)}
      required: [orders, shown]
    links: {customer_id: "find_customers#/customers/*/customer_id"}
    effect: {find: order, by: {customer_id: customer_id, status: status, max_total: "total <= args.max_total"}, at: orders, sort: -total, limit: limit}
  - name: get_order
    description: Show an order.
    parameters: {type: object, properties: {order_id: {type: string, pattern: "^ORD-[0-9]{5}$", description: Number}}, required: [order_id]}
    returns: {type: object, properties: {order_id: {type: string}, item: {type: string}, quantity: {type: integer}, total: {type: integer}, status: {type: string}}, required: [order_id, item, quantity, total, status]}
    links: {order_id: ["list_orders#/orders/*/order_id", "create_order#/order_id"]}
    kinds: {}
    effect: {get: order}
  - name: create_order
    description: Order something.
    parameters:
      type: object
      properties:
        customer_id: {type: string, description: Number of the customer}
        item: {type: string, description: What}
        quantity: {type: integer, minimum: 1, maximum: 9, description: How many}
      required: [customer_id, item, quantity]
    returns: {type: object, properties: {order_id: {type: string}, item: {type: string}, quantity: {type: integer}, total: {type: integer}, status: {type: string}, placed: {type: string}}, required: [order_id, item, quantity, total, status, placed]}
    examples: {item: [lamp, desk, chair, rug, mirror, kettle, toaster, blanket]}
    links: {customer_id: "find_customers#/customers/*/customer_id"}
    effect:
      create: order
      set: {status: open, placed: today}
      needs: [{most: 6, per: [customer_id], error: limit_reached, say: "six orders are the most for a customer"}]
  - name: change_quantity
    description: Change how many are ordered.
    parameters:
      type: object
      properties:
        order_id: {type: string, pattern: "^ORD-[0-9]{5}$", description: Number}
        quantity: {type: integer, minimum: 1, maximum: 9, description: How many}
      required: [order_id, quantity]
    returns: {type: object, properties: {order_id: {type: string}, quantity: {type: integer}, total: {type: integer}}, required: [order_id, quantity, total]}
    links: {order_id: "list_orders#/orders/*/order_id"}
    effect: {update: order, needs: [{status: [open], error: not_allowed, say: "{item} is {status}"}]}
  - name: release_order
    description: Release an order that is on hold.
    parameters: {type: object, properties: {order_id: {type: string, pattern: "^ORD-[0-9]{5}$", description: Number}}, required: [order_id]}
    returns: {type: object, properties: {order_id: {type: string}, status: {type: string}}, required: [order_id, status]}
    links: {order_id: "list_orders#/orders/*/order_id"}
    effect: {update: order, set: {status: open}, needs: [{status: [held], error: not_held}]}
  - name: cancel_order
    description: Cancel an order.
    parameters: {type: object, properties: {order_id: {type: string, pattern: "^ORD-[0-9]{5}$", description: Number}}, required: [order_id]}
    returns: {type: object, properties: {order_id: {type: string}, status: {type: string}}, required: [order_id, status]}
    links: {order_id: ["list_orders#/orders/*/order_id", "create_order#/order_id"]}
    effect:
      move: order
      to: cancelled
      needs:
        - {status: [open, held, cancelled], error: already_shipped, say: "order {order_id} has left the warehouse"}
        - {status: [open, cancelled], error: on_hold}
  - name: delete_order
    description: Delete an order.
    parameters: {type: object, properties: {order_id: {type: string, pattern: "^ORD-[0-9]{5}$", description: Number}}, required: [order_id]}
    returns: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
    links: {order_id: "list_orders#/orders/*/order_id"}
    effect: {delete: order, needs: [{status: [cancelled, shipped], error: still_active}]}
"""
